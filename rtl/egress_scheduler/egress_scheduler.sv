// SPDX-License-Identifier: Apache-2.0
// Egress scheduling of a chip's ports (models/switch/scheduler): strict queues over
// deficit-weighted round robin, pause mask, token buckets of queues and ports. Leaves out: more
// than one level.
//
//   request -> [1: profile] -> [2, 3: shaper_time] -> [rounds: scheduler_round] -> response
//                                    [3: shaper_bucket, scheduler_state] <-+
//
// A round is a clock: each queue that may send gets its quantum, in the order of turns, until one
// deficit covers its head. With quanta of a frame the first round decides and a request is taken
// every clock; otherwise the pipeline waits (in_ready_o low) until the last stage has decided.
// Time is in ps. A bucket is the time at which it is full again, as whole ps and 1/rate ps: exact.
`default_nettype none
`include "sluice_fault.svh"
module egress_scheduler #(
  /// Ports of the chip, 2 to 1024.
  parameter int unsigned Ports    /*verilator public*/ = 256,
  /// Sets of weights, strict queues and shapers, 2 to 256.
  parameter int unsigned Profiles /*verilator public*/ = 64,
  /// Clocks from request to response when the first round decides; one more for each more round.
  localparam int unsigned Latency = 4,
  localparam int unsigned Lanes       = 8,           // queues of a port
  localparam int unsigned PortBits    = $clog2(Ports),
  localparam int unsigned ProfileBits = $clog2(Profiles),
  localparam int unsigned BytesBits   = 14,
  localparam int unsigned QuantumBits = 23,
  localparam int unsigned DeficitBits = 24,
  localparam int unsigned RateBits    = 41,
  localparam int unsigned FactorBits  = 81
) (
  input  wire logic                         clk_i,
  input  wire logic                         rst_ni,
  // Configuration, at rest. A port is used after it has got a profile, which clears its state.
  input  wire logic                         profile_valid_i,
  input  wire logic [ProfileBits-1:0]       profile_profile_i,
  input  wire logic [Lanes-1:0]             profile_strict_i,
  input  wire logic [Lanes*QuantumBits-1:0] profile_quanta_i,   // bytes, of queue 7 to 0
  input  wire logic                         bucket_valid_i,
  input  wire logic [ProfileBits-1:0]       bucket_profile_i,
  input  wire logic [3:0]                   bucket_index_i,     // queue, or 8: the port
  input  wire logic [RateBits-1:0]          bucket_rate_i,      // bit/s; 0: no shaper
  input  wire logic [63:0]                  bucket_burst_i,     // ps in which the burst refills
  input  wire logic [FactorBits-1:0]        bucket_byte_i,      // ps of a byte x 2^58, rounded up
  input  wire logic                         map_valid_i,        // port uses profile
  input  wire logic [PortBits-1:0]          map_port_i,
  input  wire logic [ProfileBits-1:0]       map_profile_i,
  // Request.
  input  wire logic                         in_valid_i,
  output logic                              in_ready_o,
  input  wire logic [1:0]                   in_kind_i,          // pick, emptied, sent, held
  input  wire logic [PortBits-1:0]          in_port_i,
  input  wire logic [2:0]                   in_queue_i,         // emptied, sent
  input  wire logic [Lanes-1:0]             in_waiting_i,       // pick: queues with a packet
  input  wire logic [Lanes-1:0]             in_paused_i,
  input  wire logic [Lanes*BytesBits-1:0]   in_heads_i,         // wire bytes of their heads
  input  wire logic [BytesBits-1:0]         in_bytes_i,         // sent: wire bytes
  input  wire logic [63:0]                  in_now_i,           // ps
  // Response.
  output logic                              out_valid_o,
  output logic                              out_none_o,         // pick: no queue may send
  output logic [2:0]                        out_queue_o,        // picked, or of the request
  output logic [Lanes*DeficitBits-1:0]      out_deficits_o,     // state of the port after it
  output logic [2:0]                        out_turn_o,
  output logic                              out_granted_o,
  output logic [Lanes-1:0]                  out_held_o,         // by shapers, before it
  output logic [63:0]                       out_queue_opens_o,  // sent: buckets open then
  output logic [63:0]                       out_port_opens_o
);
  `SLUICE_FAULT_DECL
  localparam logic [1:0] Pick = 2'd0, Sent = 2'd2;
  localparam int unsigned Buckets  = Lanes + 1;
  localparam int unsigned TimeBits = 37;

  logic stall;
  assign in_ready_o = !stall;

  // Stage 1: the port's profile.
  logic [ProfileBits-1:0] profile_of_port [Ports];
  always_ff @(posedge clk_i) begin
    if (map_valid_i) profile_of_port[map_port_i] <= map_profile_i;
  end

  logic                       s1_valid_q;
  logic [1:0]                 s1_kind_q;
  logic [PortBits-1:0]        s1_port_q;
  logic [2:0]                 s1_queue_q;
  logic [Lanes-1:0]           s1_allowed_q;
  logic [Lanes*BytesBits-1:0] s1_heads_q;
  logic [BytesBits-1:0]       s1_bytes_q;
  logic [63:0]                s1_now_q;
  logic [ProfileBits-1:0]     s1_profile_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else if (!stall) s1_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (!stall) begin
      s1_kind_q    <= in_kind_i;
      s1_port_q    <= in_port_i;
      s1_queue_q   <= in_queue_i;
      s1_allowed_q <= in_waiting_i & ~`SLUICE_FAULT(13, in_paused_i, 8'b0);
      s1_heads_q   <= in_heads_i;
      s1_bytes_q   <= in_bytes_i;
      s1_now_q     <= in_now_i;
      s1_profile_q <= profile_of_port[in_port_i];
    end
  end

  // Stage 2: quanta of the profile. The time of the bytes at the rate of the queue's and the port's
  // bucket comes with stage 3.
  logic [Lanes-1:0]             strict_of [Profiles];
  logic [Lanes*QuantumBits-1:0] quanta_of [Profiles];
  logic                         s2_valid_q;
  logic [1:0]                   s2_kind_q;
  logic [PortBits-1:0]          s2_port_q;
  logic [2:0]                   s2_queue_q;
  logic [Lanes-1:0]             s2_allowed_q, s2_strict_q;
  logic [Lanes*BytesBits-1:0]   s2_heads_q;
  logic [Lanes*QuantumBits-1:0] s2_quanta_q;
  logic [63:0]                  s2_now_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else if (`SLUICE_FAULT(2, !stall, 1'b1)) s2_valid_q <= s1_valid_q;
  end
  always_ff @(posedge clk_i) begin
    if (profile_valid_i) begin
      strict_of[profile_profile_i] <= profile_strict_i;
      quanta_of[profile_profile_i] <= profile_quanta_i;
    end
    if (!stall) begin
      s2_kind_q    <= s1_kind_q;
      s2_port_q    <= s1_port_q;
      s2_queue_q   <= s1_queue_q;
      s2_allowed_q <= s1_allowed_q;
      s2_heads_q   <= s1_heads_q;
      s2_now_q     <= s1_now_q;
      s2_strict_q  <= strict_of[s1_profile_q];
      s2_quanta_q  <= quanta_of[s1_profile_q];
    end
  end

  logic [63:0]         queue_burst, port_burst;
  logic [TimeBits-1:0] queue_time, port_time;
  logic [RateBits-1:0] queue_rate, port_rate, queue_rest, port_rest;
  shaper_time #(.Rows(Profiles * 8)) u_queue_time (
    .clk_i, .write_i(bucket_valid_i && !bucket_index_i[3]),
    .write_row_i({bucket_profile_i, bucket_index_i[2:0]}), .write_rate_i(bucket_rate_i),
    .write_burst_i(bucket_burst_i), .write_byte_i(bucket_byte_i), .stall_i(stall),
    .row_i({s1_profile_q, s1_queue_q}), .bytes_i(s1_bytes_q), .rate_o(queue_rate),
    .burst_o(queue_burst), .time_o(queue_time), .rest_o(queue_rest));
  shaper_time #(.Rows(Profiles)) u_port_time (
    .clk_i, .write_i(bucket_valid_i && bucket_index_i[3]), .write_row_i(bucket_profile_i),
    .write_rate_i(bucket_rate_i), .write_burst_i(bucket_burst_i), .write_byte_i(bucket_byte_i),
    .stall_i(stall), .row_i(s1_profile_q), .bytes_i(s1_bytes_q), .rate_o(port_rate),
    .burst_o(port_burst), .time_o(port_time), .rest_o(port_rest));

  // Stage 3: a round a clock until one decides.
  logic                         s3_valid_q, s3_first_q;
  logic [1:0]                   s3_kind_q;
  logic [PortBits-1:0]          s3_port_q;
  logic [2:0]                   s3_queue_q;
  logic [Lanes-1:0]             s3_allowed_q, s3_strict_q;
  logic [Lanes*BytesBits-1:0]   s3_heads_q;
  logic [Lanes*QuantumBits-1:0] s3_quanta_q;
  logic [63:0]                  s3_now_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s3_valid_q <= 1'b0;
    else if (!stall) s3_valid_q <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    s3_first_q <= !stall;
    if (!stall) begin
      s3_kind_q    <= s2_kind_q;
      s3_port_q    <= s2_port_q;
      s3_queue_q   <= s2_queue_q;
      s3_allowed_q <= s2_allowed_q;
      s3_strict_q  <= s2_strict_q;
      s3_heads_q   <= s2_heads_q;
      s3_quanta_q  <= s2_quanta_q;
      s3_now_q     <= s2_now_q;
    end
  end

  logic                  same_port;
  logic [Buckets-1:0]    shut;
  logic [Buckets*64-1:0] opens;
  assign same_port = s3_valid_q && s3_port_q == s2_port_q;
  for (genvar b = 0; b < Buckets; b++) begin : gen_bucket      // the port's is the last
    shaper_bucket #(.Ports(Ports)) u_bucket (
      .clk_i, .clear_i(map_valid_i), .clear_port_i(map_port_i), .stall_i(stall),
      .next_port_i(s2_port_q), .same_port_i(same_port), .port_i(s3_port_q),
      .sent_i(s3_valid_q && s3_kind_q == Sent && (b == Lanes || s3_queue_q == 3'(b))),
      .now_i(s3_now_q), .rate_i(b == Lanes ? port_rate : queue_rate),
      .burst_i(b == Lanes ? port_burst : queue_burst),
      .time_i(b == Lanes ? port_time : queue_time), .rest_i(b == Lanes ? port_rest : queue_rest),
      .shut_o(shut[b]), .opens_o(opens[b*64 +: 64]));
  end

  logic [Lanes-1:0]             held;
  logic [Lanes*DeficitBits-1:0] deficits, deficits_d;
  logic [2:0]                   turn, turn_d, queue_d;
  logic                         granted, granted_d, changes, done, none;
  assign held  = shut[Lanes-1:0] | {Lanes{`SLUICE_FAULT(8, shut[Lanes], 1'b0)}};
  assign stall = s3_valid_q && !done;
  scheduler_state #(.Ports(Ports)) u_state (
    .clk_i, .clear_i(map_valid_i), .clear_port_i(map_port_i), .stall_i(stall),
    .next_port_i(s2_port_q), .same_port_i(same_port), .write_i(s3_valid_q && done && changes),
    .port_i(s3_port_q), .deficits_i(deficits_d), .turn_i(turn_d), .granted_i(granted_d),
    .deficits_o(deficits), .turn_o(turn), .granted_o(granted));
  scheduler_round u_round (
    .kind_i(s3_kind_q), .queue_i(s3_queue_q), .allowed_i(s3_allowed_q), .held_i(held),
    .heads_i(s3_heads_q), .strict_i(s3_strict_q), .quanta_i(s3_quanta_q), .first_i(s3_first_q),
    .deficits_i(deficits), .turn_i(turn), .granted_i(granted), .deficits_o(deficits_d),
    .turn_o(turn_d), .granted_o(granted_d), .changes_o(changes), .done_o(done), .none_o(none),
    .queue_o(queue_d));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s3_valid_q && done;
  end
  always_ff @(posedge clk_i) begin
    out_none_o     <= none;
    out_queue_o    <= queue_d;
    out_deficits_o <= deficits_d;
    out_turn_o     <= turn_d;
    out_granted_o  <= granted_d;
    out_held_o     <= held;
    out_port_opens_o <= opens[Lanes*64 +: 64];
    for (int q = 0; q < 8; q++) begin
      if (s3_queue_q == 3'(q)) out_queue_opens_o <= opens[q*64 +: 64];
    end
  end

  if (Ports < 2 || Ports > 1024) begin : g_chk_ports
    $error("Ports must be 2 to 1024");
  end
  if (Profiles < 2 || Profiles > 256) begin : g_chk_profiles
    $error("Profiles must be 2 to 256");
  end
`ifndef SYNTHESIS
  // Answers come Latency clocks after their requests, clocks of waiting not counted.
  logic [Latency-2:0] on_the_way_q;
  logic               answer_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) on_the_way_q <= '0;
    else if (!stall) on_the_way_q <= {on_the_way_q[Latency-3:0], in_valid_i};
    answer_q <= rst_ni && !stall && on_the_way_q[Latency-2];
  end
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o == answer_q);
  // 2^14 bytes of a head are covered after as many rounds of the smallest quantum.
  logic [9:0] rounds_q;
  always_ff @(posedge clk_i) rounds_q <= stall && rst_ni ? rounds_q + 10'd1 : '0;
  a_decides: assert property (@(posedge clk_i) disable iff (!rst_ni)
    rounds_q <= 10'd257);
  a_request_waits: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i && !in_ready_o
    |=> in_valid_i && $stable({in_kind_i, in_port_i, in_queue_i, in_now_i}));
  a_picked_may_send: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && s3_kind_q == Pick && done && !none |-> s3_allowed_q[queue_d] && !held[queue_d]);
  a_quantum: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && s3_kind_q == Pick && done && changes |->
      s3_quanta_q[queue_d*QuantumBits +: QuantumBits] >= 23'd64);
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> !profile_valid_i && !bucket_valid_i && !map_valid_i);
`endif
endmodule : egress_scheduler
`resetall
