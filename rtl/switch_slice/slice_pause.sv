// SPDX-License-Identifier: Apache-2.0
// PFC frames that come at the ports: taken off the way of data, given to pfc_rx, obeyed PauseClocks
// after their head. Which queues of each port are paused in this clock; queue and priority have the
// same number. Leaves out: FCS, PAUSE of 802.3x, pauses that end within a clock (at its end here).
//
//   head -> [FIFO: PauseClocks - Ahead] -> pfc_rx, ports in turn -> answer -> [PauseClocks] -> paused
`default_nettype none
`include "sluice_fault.svh"
module slice_pause #(
  /// Clocks from the head of a PFC frame to its effect: the frame and the time to respond.
  parameter int unsigned PauseClocks = 265,
  /// ps of a clock.
  parameter int unsigned ClockPs     = 755,
  localparam int unsigned Ports = 4
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // Configuration of pfc_rx, at rest.
  input  wire logic                 port_valid_i,
  input  wire logic [1:0]           port_port_i,
  input  wire logic [7:0]           port_lossless_i,
  input  wire logic [87:0]          port_quantum_i,
  input  wire logic [63:0]          now_i,         // ps, in steps of ClockPs
  input  wire logic [Ports-1:0]     in_valid_i,    // first cell of a frame
  input  wire logic [Ports*512-1:0] in_word_i,
  output logic [Ports-1:0]          control_o,     // it is MAC control and goes no further
  output logic [Ports*8-1:0]        paused_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned Ahead    = 16;           // pfc_rx is asked so many clocks before
  localparam int unsigned DeepBits = 4;            // frames of a port on their way
  localparam logic [63:0] Delay    = 64'(PauseClocks * ClockPs);

  logic [Ports-1:0]     wants, taken;
  logic [Ports*512-1:0] frames;
  logic [Ports*64-1:0]  nows;
  logic [1:0]           port, unused_first;
  logic                 answered, unused_pfc;
  logic [1:0]           port_q [3];
  logic [7:0]           unused_obeyed, unused_ignored, unused_paused;
  logic [8*64-1:0]      ends;
  slice_turn u_turn (.clk_i, .rst_ni, .wants_i(wants), .first_o(unused_first), .port_o(port));
  always_comb begin
    taken = '0;
    taken[port] = wants != '0;
  end
  pfc_rx #(.Ports(Ports)) u_rx (
    .clk_i, .rst_ni, .port_valid_i, .port_port_i, .port_lossless_i, .port_quantum_i,
    .in_valid_i(wants != '0), .in_port_i(port), .in_frame_valid_i(1'b1),
    .in_frame_i(frames[32'(port)*512 +: 512]), .in_now_i(nows[32'(port)*64 +: 64]),
    .out_valid_o(answered), .out_pfc_o(unused_pfc), .out_obeyed_o(unused_obeyed),
    .out_ignored_o(unused_ignored), .out_paused_o(unused_paused), .out_until_o(ends));
  always_ff @(posedge clk_i) begin
    port_q[0] <= port;
    for (int i = 1; i < 3; i++) port_q[i] <= port_q[i-1];
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam int unsigned Word = p * 512;
    logic [511:0]           words [2**DeepBits];
    logic [63:0]            times [2**DeepBits];
    logic [511:0]           answers [2**DeepBits];
    logic [DeepBits-1:0]    write_q, read_q, answer_q, apply_q;
    logic [PauseClocks-2:0] due_q;
    logic [DeepBits:0]      due_now_q;             // frames due that have not had their turn
    logic [511:0]           until_q;
    logic                   push, ask, apply;
    assign control_o[p] = `SLUICE_FAULT(125, 1'b1, 1'b0)
        && in_word_i[Word +: 48] == 48'h0100_00c2_8001 && in_word_i[Word + 96 +: 16] == 16'h0888;
    assign push  = in_valid_i[p] && control_o[p];
    assign ask   = due_q[PauseClocks-2-Ahead];
    assign apply = due_q[`SLUICE_FAULT(123, PauseClocks-2, Ahead)];
    assign wants[p] = due_now_q != '0;
    assign frames[Word +: 512]  = words[read_q];
    assign nows[p*64 +: 64]     = times[read_q];
    always_ff @(posedge clk_i) begin
      if (push) begin
        words[write_q] <= in_word_i[Word +: 512];
        times[write_q] <= now_i + Delay;
      end
      if (answered && port_q[2] == `SLUICE_FAULT(126, 2'(p), 2'(p + 1))) answers[answer_q] <= ends;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        {write_q, read_q, answer_q, apply_q} <= '0;
        due_q     <= '0;
        due_now_q <= '0;
        until_q   <= '0;
      end else begin
        due_q     <= {due_q[PauseClocks-3:0], push};
        due_now_q <= due_now_q + {{DeepBits{1'b0}}, ask} - {{DeepBits{1'b0}}, taken[p]};
        if (push)     write_q <= write_q + 1'b1;
        if (taken[p]) read_q  <= read_q + 1'b1;
        if (answered && port_q[2] == `SLUICE_FAULT(126, 2'(p), 2'(p + 1))) answer_q <= answer_q + 1'b1;
        if (apply) begin
          until_q <= answers[apply_q];
          apply_q <= apply_q + 1'b1;
        end
      end
    end
    for (genvar q = 0; q < 8; q++) begin : gen_paused
      assign paused_o[p*8 + q] = `SLUICE_FAULT(124, until_q[q*64 +: 64] > now_i,
                                               until_q[q*64 +: 64] != '0);
    end
`ifndef SYNTHESIS
    a_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      push |-> write_q + 1'b1 != apply_q);
    a_in_time: assert property (@(posedge clk_i) disable iff (!rst_ni)
      apply |-> answer_q != apply_q);
`endif
  end

  logic unused;
  assign unused = ^{unused_first, unused_pfc, unused_obeyed, unused_ignored, unused_paused};
endmodule : slice_pause
`resetall
