// SPDX-License-Identifier: Apache-2.0
// ECN marking of a chip's queues: WRED curve on the averaged queue length (models/switch/ecn). One
// request a clock, answered Latency clocks later; the random draw is an input. Leaves out: colours.
//
//   request -> [1: profile, average read] -> [2: average written, length] -> [3: curve] -> response
//
// The average of a queue asked in two clocks running is forwarded from stage 2 to stage 1.
`default_nettype none
`include "sluice_fault.svh"
module wred_marker #(
  /// Queues of the chip, 2 to 4096.
  parameter int unsigned Queues   /*verilator public*/ = 2048,
  /// Curves, 2 to 256.
  parameter int unsigned Profiles /*verilator public*/ = 256,
  /// Clocks from request to response.
  localparam int unsigned Latency = 3,
  localparam int unsigned QueueBits   = $clog2(Queues),
  localparam int unsigned ProfileBits = $clog2(Profiles)
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  // Configuration, at rest.
  input  wire logic                   curve_valid_i,
  input  wire logic [ProfileBits-1:0] curve_profile_i,
  input  wire logic                   curve_enabled_i,
  input  wire logic                   curve_drop_not_ect_i,
  input  wire logic [3:0]             curve_weight_i,
  input  wire logic [30:0]            curve_kmin_i,        // bytes
  input  wire logic [30:0]            curve_kmax_i,
  input  wire logic [32:0]            curve_pmax_i,        // of 2^32
  input  wire logic [30:0]            curve_drop_kmin_i,
  input  wire logic [30:0]            curve_drop_kmax_i,
  input  wire logic [32:0]            curve_drop_pmax_i,
  input  wire logic                   map_valid_i,         // queue uses profile
  input  wire logic [QueueBits-1:0]   map_queue_i,
  input  wire logic [ProfileBits-1:0] map_profile_i,
  // Request.
  input  wire logic                   in_valid_i,
  input  wire logic [QueueBits-1:0]   in_queue_i,
  input  wire logic [31:0]            in_bytes_i,
  input  wire logic [31:0]            in_random_i,
  input  wire logic                   in_ect_i,
  // Response.
  output logic                        out_valid_o,
  output logic                        out_mark_o,
  output logic                        out_drop_o,
  output logic [31:0]                 out_length_o         // bytes, averaged
);
  `SLUICE_FAULT_DECL
  localparam int unsigned AverageBits = 16;                 // fraction
  localparam int unsigned CurveBits   = 1 + 1 + 4 + 2 * (31 + 31 + 33);
  localparam int unsigned WordBits    = 32 + AverageBits;

  logic [CurveBits-1:0]   curves [Profiles];
  logic [ProfileBits-1:0] profile_of_queue [Queues];
  logic [WordBits-1:0]    average [Queues];
  logic [Queues-1:0]      average_set_q;                    // else 0: memories have no reset

  always_ff @(posedge clk_i) begin
    if (curve_valid_i) begin
      curves[curve_profile_i] <= {curve_enabled_i, curve_drop_not_ect_i, curve_weight_i,
        curve_kmin_i, curve_kmax_i, curve_pmax_i,
        curve_drop_kmin_i, curve_drop_kmax_i, curve_drop_pmax_i};
    end
    if (map_valid_i) profile_of_queue[map_queue_i] <= map_profile_i;
  end

  // Stage 1: the queue's curve and its average so far.
  logic                 s1_valid_q, s1_ect_q;
  logic [QueueBits-1:0] s1_queue_q;
  logic [31:0]          s1_bytes_q, s1_random_q;
  logic [CurveBits-1:0] s1_curve_q;
  logic [WordBits-1:0]  s1_average_q;
  logic                 s1_write, same_queue;
  logic [WordBits-1:0]  s1_next;

  assign same_queue = s1_write && s1_queue_q == in_queue_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else         s1_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    s1_queue_q  <= in_queue_i;
    s1_bytes_q  <= in_bytes_i;
    s1_random_q <= in_random_i;
    s1_ect_q    <= in_ect_i;
    s1_curve_q  <= curves[profile_of_queue[in_queue_i]];
    if (`SLUICE_FAULT(1, same_queue, 1'b0)) s1_average_q <= s1_next;
    else s1_average_q <= `SLUICE_FAULT(2, average_set_q[in_queue_i], 1'b1)
                         ? average[in_queue_i] : '0;
  end

  // Stage 2: average += (bytes - average) / 2^weight, rounded down.
  logic       curve_enabled;
  logic [3:0] curve_weight;
  assign curve_enabled = s1_curve_q[CurveBits-1];
  assign curve_weight  = s1_curve_q[CurveBits-3 -: 4];
  logic signed [WordBits:0] difference;
  logic [WordBits-1:0]      step;
  assign difference = $signed({1'b0, s1_bytes_q, {AverageBits{1'b0}}}) - $signed({1'b0, s1_average_q});
  assign step       = WordBits'(`SLUICE_FAULT(3, difference >>> curve_weight, $signed(difference >> curve_weight)));
  assign s1_next    = s1_average_q + step;
  assign s1_write   = s1_valid_q && `SLUICE_FAULT(4, curve_enabled, 1'b1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) average_set_q <= '0;
    else if (s1_write) average_set_q[s1_queue_q] <= 1'b1;
    if (s1_write) average[s1_queue_q] <= s1_next;
  end

  logic                 s2_valid_q, s2_ect_q;
  logic [31:0]          s2_length_q, s2_random_q;
  logic [CurveBits-1:0] s2_curve_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else         s2_valid_q <= s1_valid_q;
  end
  always_ff @(posedge clk_i) begin
    s2_ect_q    <= s1_ect_q;
    s2_random_q <= s1_random_q;
    s2_curve_q  <= s1_curve_q;
    s2_length_q <= curve_enabled ? s1_next[WordBits-1 -: 32] : s1_average_q[WordBits-1 -: 32];
  end

  // Stage 3: on the slope, hit when random / 2^32 < pmax (length - kmin) / (kmax - kmin).
  logic [30:0] kmin, kmax;
  logic [32:0] pmax;
  always_comb begin
    {kmin, kmax, pmax} = s2_curve_q[94:0];
    if (`SLUICE_FAULT(5, s2_ect_q, 1'b1)) {kmin, kmax, pmax} = s2_curve_q[189:95];
  end
  logic [30:0] range;
  logic [31:0] above;
  logic [63:0] drawn, wanted;
  logic        hit;
  assign range  = kmax - kmin;
  assign above  = s2_length_q - {1'b0, kmin};
  assign drawn  = {32'b0, s2_random_q} * {33'b0, range};
  assign wanted = {31'b0, pmax} * {32'b0, above};
  always_comb begin
    if (`SLUICE_FAULT(6, s2_length_q <= {1'b0, kmin}, s2_length_q < {1'b0, kmin})) hit = 1'b0;
    else if (`SLUICE_FAULT(7, s2_length_q >= {1'b0, kmax}, s2_length_q > {1'b0, kmax})) hit = 1'b1;
    else hit = `SLUICE_FAULT(8, drawn < wanted, drawn <= wanted);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    out_mark_o   <= s2_curve_q[CurveBits-1] && s2_ect_q && hit;
    out_drop_o   <= s2_curve_q[CurveBits-1] && !s2_ect_q
                    && `SLUICE_FAULT(9, s2_curve_q[CurveBits-2], 1'b1) && hit;
    out_length_o <= s2_length_q;
  end

  if (Queues < 2 || Queues > 4096) begin : g_chk_queues
    $error("Queues must be 2 to 4096");
  end
  if (Profiles < 2 || Profiles > 256) begin : g_chk_profiles
    $error("Profiles must be 2 to 256");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_one_action: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o |-> !(out_mark_o && out_drop_o));
  a_curve: assert property (@(posedge clk_i) disable iff (!rst_ni)
    curve_valid_i |-> curve_kmin_i <= curve_kmax_i && curve_drop_kmin_i <= curve_drop_kmax_i);
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> !curve_valid_i && !map_valid_i);
`endif
endmodule : wred_marker
`resetall
