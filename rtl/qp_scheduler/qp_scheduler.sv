// SPDX-License-Identifier: Apache-2.0
// Which QP of a port sends next (models/nic/requester/scheduler.h): a ring of ready QPs with a burst
// a turn, and a sorted queue of QPs that wait for a time. One request a clock, answered in the next;
// OpWake wakes one QP a clock. Leaves out: weights; every QP has the same share of turns.
//
// The link from the last QP of the ring to the first is not stored but implied, so every change
// writes one link at most; the link of the current QP is read ahead.
`default_nettype none
`include "sluice_fault.svh"
module qp_scheduler #(
  /// QPs of the port, 2 to 65536.
  parameter int unsigned Qps     /*verilator public*/ = 1024,
  /// QPs that may wait for a time at once, 2 to 256.
  parameter int unsigned Waiting /*verilator public*/ = 64,
  localparam int unsigned Latency = 1,         // OpWake: of QPs woken, if more
  localparam int unsigned QpBits  = $clog2(Qps)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic [15:0]       cfg_burst_packets_i,   // stable out of reset, at least 1
  // Request.
  input  wire logic              in_valid_i,
  output logic                   in_ready_o,
  input  wire logic [2:0]        in_op_i,               // Op…
  input  wire logic [QpBits-1:0] in_qp_i,               // OpReady, OpWait
  input  wire logic [63:0]       in_time_i,             // ps; OpWait: until then, OpWake: now
  // Response: the state after it.
  output logic                   out_valid_o,
  output logic                   out_woken_o,           // OpWake: a QP was woken in this clock …
  output logic [QpBits-1:0]      out_woken_qp_o,        // … this one
  output logic                   out_ring_empty_o,
  output logic [QpBits-1:0]      out_current_o,         // whose turn it is
  output logic [15:0]            out_burst_left_o,
  output logic [63:0]            out_earliest_o         // all ones: none waits
);
  `SLUICE_FAULT_DECL
  localparam logic [2:0] OpReady = 3'd0, OpRemove = 3'd1, OpCount = 3'd2, OpWait = 3'd3,
                         OpWake = 3'd4;
  localparam int unsigned KeyBits = 64 + QpBits;        // time, then QP: ties by number
  localparam logic [KeyBits-1:0] NoKey = {KeyBits{1'b1}};

  logic              empty_q, empty_d;
  logic [QpBits-1:0] current_q, previous_q, current_d, previous_d;
  logic [15:0]       burst_q, burst_d;
  logic [QpBits-1:0] links [Qps];                       // from a QP of the ring to the next
  logic [QpBits-1:0] ahead_q;                           // link of the current QP
  logic              link;
  logic [QpBits-1:0] link_to;

  logic [Waiting*KeyBits-1:0] keys_q, keys_d;           // sorted, the earliest first
  logic [KeyBits-1:0]         head, next_head, new_key;

  logic        waking_q;
  logic [63:0] now_q, now;
  logic        take, wakes, wake_done, appends;
  logic [2:0]  op;
  logic [QpBits-1:0] appended;

  // What is done in this clock.
  assign in_ready_o = !waking_q;
  assign take       = in_valid_i && in_ready_o;
  assign op         = in_op_i;
  assign head       = keys_q[KeyBits-1:0];
  assign next_head  = keys_q[KeyBits +: KeyBits];
  assign now        = waking_q ? now_q : in_time_i;
  assign wakes      = (waking_q || (take && op == OpWake))
                      && `SLUICE_FAULT(7, head[KeyBits-1 -: 64] <= now, head[KeyBits-1 -: 64] < now);
  assign wake_done  = !wakes || `SLUICE_FAULT(9, next_head[KeyBits-1 -: 64] > now, 1'b1);
  assign appends    = wakes || (take && op == OpReady);
  assign appended   = wakes ? head[QpBits-1:0] : in_qp_i;

  // The ring.
  logic [QpBits-1:0] following;
  assign following = current_q == previous_q ? current_q : ahead_q;
  always_comb begin
    empty_d    = empty_q;
    current_d  = current_q;
    previous_d = previous_q;
    burst_d    = burst_q;
    link       = 1'b0;
    link_to    = appended;
    if (appends) begin
      empty_d    = 1'b0;
      previous_d = `SLUICE_FAULT(6, appended, empty_q ? appended : previous_q);
      if (empty_q) begin
        current_d = appended;
        burst_d   = `SLUICE_FAULT(11, cfg_burst_packets_i, burst_q);
      end else link = 1'b1;
    end else if (take && op == OpRemove) begin
      if (current_q == previous_q) empty_d = `SLUICE_FAULT(5, 1'b1, 1'b0);
      else begin
        current_d = following;
        burst_d   = `SLUICE_FAULT(4, cfg_burst_packets_i, burst_q);
      end
    end else if (take && op == OpCount) begin
      burst_d = burst_q - 16'd1;
      if (`SLUICE_FAULT(1, burst_d == 16'd0, burst_q == 16'd0)) begin
        link       = 1'b1;
        link_to    = current_q;
        previous_d = current_q;
        current_d  = following;
        burst_d    = cfg_burst_packets_i;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (link) links[previous_q] <= link_to;
    if (`SLUICE_FAULT(2, link && previous_q == current_d, 1'b0)) ahead_q <= link_to;
    else ahead_q <= links[current_d];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) empty_q <= 1'b1;
    else         empty_q <= empty_d;
  end
  always_ff @(posedge clk_i) begin
    current_q  <= current_d;
    previous_q <= previous_d;
    burst_q    <= burst_d;
  end

  // The waiting ones: each cell keeps its key, or takes the one before it or the new one.
  assign new_key = {in_time_i, in_qp_i};
  logic [Waiting-1:0] stays;
  always_comb begin
    for (int unsigned i = 0; i < Waiting; i += 1) begin
      stays[i] = `SLUICE_FAULT(3, keys_q[i*KeyBits +: KeyBits] <= new_key,
                               keys_q[i*KeyBits + QpBits +: 64] <= in_time_i);
    end
    keys_d = keys_q;
    if (wakes) begin
      keys_d = {`SLUICE_FAULT(8, NoKey, keys_q[(Waiting-1)*KeyBits +: KeyBits]),
                keys_q[Waiting*KeyBits-1:KeyBits]};
    end else if (take && op == OpWait) begin
      if (!stays[0]) keys_d[KeyBits-1:0] = new_key;
      for (int unsigned i = 1; i < Waiting; i += 1) begin
        if (!stays[i]) begin
          keys_d[i*KeyBits +: KeyBits] = stays[i-1] ? new_key
                                         : `SLUICE_FAULT(10, keys_q[(i-1)*KeyBits +: KeyBits],
                                                         keys_q[i*KeyBits +: KeyBits]);
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) keys_q <= {Waiting*KeyBits{1'b1}};
    else         keys_q <= keys_d;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) waking_q <= 1'b0;
    else         waking_q <= !wake_done;
  end
  always_ff @(posedge clk_i) now_q <= now;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= (take || waking_q) && wake_done;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_woken_o <= 1'b0;
    else         out_woken_o <= wakes;
  end
  always_ff @(posedge clk_i) out_woken_qp_o <= appended;
  assign out_ring_empty_o = empty_q;
  assign out_current_o    = current_q;
  assign out_burst_left_o = burst_q;
  assign out_earliest_o   = keys_q[KeyBits-1 -: 64];

  if (Qps < 2 || Qps > 65536) begin : g_chk_qps
    $error("Qps must be 2 to 65536");
  end
  if (Waiting < 2 || Waiting > 256) begin : g_chk_waiting
    $error("Waiting must be 2 to 256");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    $past(in_valid_i && in_ready_o && in_op_i != OpWake, Latency) |-> out_valid_o);
  a_no_overflow: assert property (@(posedge clk_i) disable iff (!rst_ni)
    take && op == OpWait |-> keys_q[(Waiting-1)*KeyBits +: KeyBits] == NoKey);
  a_sorted: assert property (@(posedge clk_i) disable iff (!rst_ni)
    head <= next_head);
  a_turn: assert property (@(posedge clk_i) disable iff (!rst_ni)
    take && (op == OpRemove || op == OpCount) |-> !empty_q);
  a_burst: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o && !empty_q |-> burst_q != 16'd0 && burst_q <= cfg_burst_packets_i);
`endif
endmodule : qp_scheduler
`resetall
