// SPDX-License-Identifier: Apache-2.0
// Egress scheduling of a chip's ports (models/switch/scheduler): strict queues over deficit-weighted
// round robin, pause mask, token buckets of queues and ports. Leaves out: more than one level.
//
//   request -> [1: profile] -> [2: time of the bytes] -> [3: state read] -> [rounds] -> response
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
  localparam logic [1:0] Pick = 2'd0, Emptied = 2'd1, Sent = 2'd2;
  localparam int unsigned Buckets    = Lanes + 1;
  localparam int unsigned PointBits  = 58;           // of the time of a byte
  localparam int unsigned TimeBits   = FactorBits + BytesBits - PointBits;
  localparam logic [42:0] BytePs     = 43'd8_000_000_000_000;  // at 1 bit/s
  localparam logic [DeficitBits-1:0] MaxDeficit = {DeficitBits{1'b1}};

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

  // Stage 2: the whole ps that the bytes take at the rates of the queue's and the port's bucket.
  // The factor is rounded up by less than 2^-58, times 2^14 bytes: never to another whole number,
  // as fractions are multiples of 1/rate > 2^-41.
  localparam int unsigned BucketBits = RateBits + 64 + FactorBits;
  logic [Lanes-1:0]             strict_of [Profiles];
  logic [Lanes*QuantumBits-1:0] quanta_of [Profiles];
  logic [BucketBits-1:0]        bucket_of [Profiles * 8];
  logic [BucketBits-1:0]        port_bucket_of [Profiles];
  always_ff @(posedge clk_i) begin
    if (profile_valid_i) begin
      strict_of[profile_profile_i] <= profile_strict_i;
      quanta_of[profile_profile_i] <= profile_quanta_i;
    end
    if (bucket_valid_i && !bucket_index_i[3]) begin
      bucket_of[{bucket_profile_i, bucket_index_i[2:0]}]
        <= {bucket_rate_i, bucket_burst_i, bucket_byte_i};
    end
    if (bucket_valid_i && bucket_index_i[3]) begin
      port_bucket_of[bucket_profile_i] <= {bucket_rate_i, bucket_burst_i, bucket_byte_i};
    end
  end

  logic [BucketBits-1:0] s1_queue_bucket, s1_port_bucket;
  assign s1_queue_bucket = bucket_of[{s1_profile_q, s1_queue_q}];
  assign s1_port_bucket  = port_bucket_of[s1_profile_q];

  logic                         s2_valid_q;
  logic [1:0]                   s2_kind_q;
  logic [PortBits-1:0]          s2_port_q;
  logic [2:0]                   s2_queue_q;
  logic [Lanes-1:0]             s2_allowed_q, s2_strict_q;
  logic [Lanes*BytesBits-1:0]   s2_heads_q;
  logic [Lanes*QuantumBits-1:0] s2_quanta_q;
  logic [BytesBits-1:0]         s2_bytes_q;
  logic [63:0]                  s2_now_q, s2_queue_burst_q, s2_port_burst_q;
  logic [TimeBits-1:0]          s2_queue_time_q, s2_port_time_q;
  logic [RateBits-1:0]          s2_queue_rate_q, s2_port_rate_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else if (`SLUICE_FAULT(2, !stall, 1'b1)) s2_valid_q <= s1_valid_q;
  end
  always_ff @(posedge clk_i) begin
    if (!stall) begin
      s2_kind_q    <= s1_kind_q;
      s2_port_q    <= s1_port_q;
      s2_queue_q   <= s1_queue_q;
      s2_allowed_q <= s1_allowed_q;
      s2_heads_q   <= s1_heads_q;
      s2_bytes_q   <= s1_bytes_q;
      s2_now_q     <= s1_now_q;
      s2_strict_q  <= strict_of[s1_profile_q];
      s2_quanta_q  <= quanta_of[s1_profile_q];
      {s2_queue_rate_q, s2_queue_burst_q} <= s1_queue_bucket[BucketBits-1 -: RateBits + 64];
      {s2_port_rate_q, s2_port_burst_q}   <= s1_port_bucket[BucketBits-1 -: RateBits + 64];
      s2_queue_time_q <= TimeBits'((s1_queue_bucket[FactorBits-1:0]
                                    * (FactorBits + BytesBits)'(s1_bytes_q)) >> PointBits);
      s2_port_time_q  <= TimeBits'((s1_port_bucket[FactorBits-1:0]
                                    * (FactorBits + BytesBits)'(s1_bytes_q)) >> PointBits);
    end
  end

  // Stage 3: what is left of the time, in 1/rate ps: less than the rate, so that its low bits are
  // enough. The state of the port is read.
  logic [RateBits-1:0] all_of_bytes, queue_rest, port_rest;
  assign all_of_bytes = RateBits'(s2_bytes_q) * RateBits'(BytePs);
  assign queue_rest   = all_of_bytes - RateBits'(s2_queue_time_q) * s2_queue_rate_q;
  assign port_rest    = all_of_bytes - RateBits'(s2_port_time_q) * s2_port_rate_q;

  logic                         s3_valid_q, s3_first_q;
  logic [1:0]                   s3_kind_q;
  logic [PortBits-1:0]          s3_port_q;
  logic [2:0]                   s3_queue_q;
  logic [Lanes-1:0]             s3_allowed_q, s3_strict_q;
  logic [Lanes*BytesBits-1:0]   s3_heads_q;
  logic [Lanes*QuantumBits-1:0] s3_quanta_q;
  logic [63:0]                  s3_now_q, s3_queue_burst_q, s3_port_burst_q;
  logic [TimeBits-1:0]          s3_queue_time_q, s3_port_time_q;
  logic [RateBits-1:0]          s3_queue_rate_q, s3_port_rate_q, s3_queue_rest_q, s3_port_rest_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s3_valid_q <= 1'b0;
    else if (!stall) s3_valid_q <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    s3_first_q <= !stall;
    if (!stall) begin
      s3_kind_q        <= s2_kind_q;
      s3_port_q        <= s2_port_q;
      s3_queue_q       <= s2_queue_q;
      s3_allowed_q     <= s2_allowed_q;
      s3_strict_q      <= s2_strict_q;
      s3_heads_q       <= s2_heads_q;
      s3_quanta_q      <= s2_quanta_q;
      s3_now_q         <= s2_now_q;
      s3_queue_burst_q <= s2_queue_burst_q;
      s3_port_burst_q  <= s2_port_burst_q;
      s3_queue_time_q  <= s2_queue_time_q;
      s3_port_time_q   <= s2_port_time_q;
      s3_queue_rate_q  <= s2_queue_rate_q;
      s3_port_rate_q   <= s2_port_rate_q;
      s3_queue_rest_q  <= queue_rest;
      s3_port_rest_q   <= port_rest;
    end
  end

  // State of a port: read while its request enters the last stage, forwarded from that stage.
  logic                         same_port, same_port_bucket;
  logic [Lanes*DeficitBits-1:0] s3_deficits_q, deficits;   // before and after
  logic [2:0]                   s3_turn_q, turn;
  logic                         s3_granted_q, granted, write_turns;
  logic [3:0]                   turns [Ports];
  logic [3:0]                   s2_turn;
  assign same_port = s3_valid_q && s3_port_q == s2_port_q;
  assign same_port_bucket = `SLUICE_FAULT(3, same_port, 1'b0);
  assign s2_turn = `SLUICE_FAULT(4, same_port, 1'b0) ? {turn, granted} : turns[s2_port_q];
  always_ff @(posedge clk_i) begin
    if (map_valid_i) turns[map_port_i] <= '0;
    else if (write_turns) turns[s3_port_q] <= {turn, granted};
    if (stall) {s3_turn_q, s3_granted_q} <= {turn, granted};
    else       {s3_turn_q, s3_granted_q} <= s2_turn;
  end

  for (genvar q = 0; q < Lanes; q++) begin : gen_deficit
    logic [DeficitBits-1:0] store [Ports];
    always_ff @(posedge clk_i) begin
      if (map_valid_i) store[map_port_i] <= '0;
      else if (write_turns) store[s3_port_q] <= deficits[q*DeficitBits +: DeficitBits];
      if (stall || same_port) begin
        s3_deficits_q[q*DeficitBits +: DeficitBits] <= deficits[q*DeficitBits +: DeficitBits];
      end else begin
        s3_deficits_q[q*DeficitBits +: DeficitBits] <= store[s2_port_q];
      end
    end
  end

  // Buckets; the port's is the last. A charge starts from now where the bucket was full.
  logic [Buckets-1:0]    shut;
  logic [Buckets*64-1:0] opens;
  for (genvar b = 0; b < Buckets; b++) begin : gen_bucket
    logic [63:0]         full_store [Ports];
    logic [RateBits-1:0] rest_store [Ports];
    logic [63:0]         opens_store [Ports];
    logic [63:0]         full_q, opens_q, full, burst, base;
    logic [RateBits-1:0] rest_q, rest, rate, added, base_rest;
    logic [TimeBits-1:0] whole;
    logic [RateBits:0]   sum;
    logic                charge, carry;
    assign rate   = b == Lanes ? s3_port_rate_q  : s3_queue_rate_q;
    assign added  = b == Lanes ? s3_port_rest_q  : s3_queue_rest_q;
    assign whole  = b == Lanes ? s3_port_time_q  : s3_queue_time_q;
    assign burst  = b == Lanes ? s3_port_burst_q : s3_queue_burst_q;
    assign charge = s3_valid_q && s3_kind_q == Sent && rate != '0
                    && (b == Lanes || s3_queue_q == 3'(b));
    assign base      = `SLUICE_FAULT(5, full_q < s3_now_q, 1'b0) ? s3_now_q : full_q;
    assign base_rest = full_q < s3_now_q ? '0 : rest_q;
    assign sum       = {1'b0, base_rest} + {1'b0, added};
    assign carry     = sum >= {1'b0, rate};
    assign full      = charge ? base + 64'(whole) + {63'b0, `SLUICE_FAULT(6, carry, 1'b0)} : full_q;
    assign rest      = charge ? RateBits'(carry ? sum - {1'b0, rate} : sum) : rest_q;
    assign opens[b*64 +: 64] = !charge ? opens_q : full > burst ? full - burst : 64'b0;
    assign shut[b]   = `SLUICE_FAULT(7, opens_q > s3_now_q, opens_q >= s3_now_q && opens_q != '0);
    always_ff @(posedge clk_i) begin
      if (map_valid_i) begin
        full_store[map_port_i]  <= '0;
        rest_store[map_port_i]  <= '0;
        opens_store[map_port_i] <= '0;
      end else if (charge) begin
        full_store[s3_port_q]   <= full;
        rest_store[s3_port_q]   <= rest;
        opens_store[s3_port_q]  <= opens[b*64 +: 64];
      end
      if (same_port_bucket && !stall) begin
        full_q  <= full;
        rest_q  <= rest;
        opens_q <= opens[b*64 +: 64];
      end else if (!stall) begin
        full_q  <= full_store[s2_port_q];
        rest_q  <= rest_store[s2_port_q];
        opens_q <= opens_store[s2_port_q];
      end
    end
  end

  // One round: deficits with the quanta of this round, and who they cover.
  logic [Lanes-1:0]             held, eligible, strict_eligible, covered, visited;
  logic [Lanes*DeficitBits-1:0] raised;
  assign held = shut[Lanes-1:0] | {Lanes{`SLUICE_FAULT(8, shut[Lanes], 1'b0)}};
  assign eligible        = s3_allowed_q & ~held;
  assign strict_eligible = eligible & s3_strict_q;
  for (genvar q = 0; q < Lanes; q++) begin : gen_lane
    logic                   has_grant;
    logic [DeficitBits-1:0] start, sum, grant;
    logic                   overflow;
    assign has_grant = s3_first_q && `SLUICE_FAULT(9, s3_granted_q, 1'b0) && s3_turn_q == 3'(q);
    assign start     = s3_deficits_q[q*DeficitBits +: DeficitBits];
    assign grant     = has_grant ? '0 : DeficitBits'(s3_quanta_q[q*QuantumBits +: QuantumBits]);
    assign {overflow, sum} = {1'b0, start} + {1'b0, grant};
    assign raised[q*DeficitBits +: DeficitBits] = `SLUICE_FAULT(10, overflow, 1'b0) ? MaxDeficit : sum;
    assign covered[q] = eligible[q]
      && `SLUICE_FAULT(11, raised[q*DeficitBits +: DeficitBits] >= DeficitBits'(s3_heads_q[q*BytesBits +: BytesBits]),
                       raised[q*DeficitBits +: DeficitBits] > DeficitBits'(s3_heads_q[q*BytesBits +: BytesBits]));
  end

  // The first covered queue from the turn on, and the queues whose turn comes before it.
  logic [Lanes-1:0] turned, ahead, first_one;
  logic [2:0]       winner;
  always_comb begin
    turned    = Lanes'({covered, covered} >> s3_turn_q);
    first_one = turned & (~turned + 8'd1);
    ahead     = first_one - 8'd1;                      // all when there is none
    visited   = Lanes'({ahead, ahead} >> (4'd8 - {1'b0, s3_turn_q}));
    winner    = s3_turn_q;
    for (int i = 1; i < 8; i++) begin
      if (first_one[i]) winner = s3_turn_q + 3'(i);
    end
  end

  logic [2:0] strict_queue;
  always_comb begin
    strict_queue = 3'd0;
    for (int i = 0; i < 8; i++) begin
      if (`SLUICE_FAULT(12, strict_eligible[i], strict_eligible[7 - i])) begin
        strict_queue = `SLUICE_FAULT(12, 3'(i), 3'(7 - i));
      end
    end
  end

  logic picks_turn, done;
  assign picks_turn  = s3_kind_q == Pick && eligible != '0 && strict_eligible == '0;
  assign done        = !picks_turn || covered != '0;
  assign stall       = s3_valid_q && !done;
  assign write_turns = s3_valid_q && done && (picks_turn || s3_kind_q == Emptied);

  always_comb begin
    deficits = s3_deficits_q;
    turn     = s3_turn_q;
    granted  = s3_granted_q;
    if (picks_turn) begin
      for (int q = 0; q < 8; q++) begin
        if (covered != '0 && winner == 3'(q)) begin
          deficits[q*DeficitBits +: DeficitBits] = raised[q*DeficitBits +: DeficitBits]
            - DeficitBits'(s3_heads_q[q*BytesBits +: BytesBits]);
        end else if (visited[q] && eligible[q]) begin
          deficits[q*DeficitBits +: DeficitBits] = raised[q*DeficitBits +: DeficitBits];
        end
      end
      if (covered != '0) begin
        turn    = winner;
        granted = 1'b1;
      end
    end
    if (s3_kind_q == Emptied) begin
      for (int q = 0; q < 8; q++) begin
        if (s3_queue_q == 3'(q)) begin
          deficits[q*DeficitBits +: DeficitBits] =
            `SLUICE_FAULT(1, '0, s3_deficits_q[q*DeficitBits +: DeficitBits]);
        end
      end
      if (`SLUICE_FAULT(14, s3_turn_q == s3_queue_q, 1'b0)) begin
        turn    = s3_queue_q + 3'd1;
        granted = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s3_valid_q && done;
  end
  always_ff @(posedge clk_i) begin
    out_none_o     <= s3_kind_q == Pick && eligible == '0;
    out_queue_o    <= s3_kind_q != Pick ? s3_queue_q : strict_eligible != '0 ? strict_queue : winner;
    out_deficits_o <= deficits;
    out_turn_o     <= turn;
    out_granted_o  <= granted;
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
    in_valid_i && !in_ready_o |=> in_valid_i && $stable({in_kind_i, in_port_i, in_queue_i, in_now_i}));
  a_picked_may_send: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && s3_kind_q == Pick && covered != '0 |-> eligible[winner]);
  a_quantum: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && picks_turn && covered != '0 |->
      s3_quanta_q[winner*QuantumBits +: QuantumBits] >= 23'd64);
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> !profile_valid_i && !bucket_valid_i && !map_valid_i);
`endif
endmodule : egress_scheduler
`resetall
