// SPDX-License-Identifier: Apache-2.0
// The reaction point's one divider, restoring, two bits of the quotient a clock. It divides for the
// ps per byte of a rate, or for when the period that runs at a time began. Leaves out: what is to
// be divided when (dcqcn_rp); a rate of 0.
`default_nettype none
module dcqcn_rp_divider #(
  parameter int unsigned PaceClocks = 29
) (
  input  wire logic        clk_i,
  input  wire logic        load_i,        // begins; the clocks from the next on are rounds
  input  wire logic        period_i,      // else the pace of rate_i
  input  wire logic [31:0] rate_i,        // kbit/s
  input  wire logic [63:0] until_i,       // ps: the time that is looked at,
  input  wire logic [63:0] since_i,       // a begin of a period before it,
  input  wire logic [63:0] length_i,      // and how long each is
  output logic [5:0]       rounds_o,      // still to come
  output logic [56:0]      pace_o,        // ps per byte, Q.24
  output logic [63:0]      began_o
);
  // 8e9 ps kbit/s per byte, 24 fraction bits, at the top of 64 bits but for 6 that are not needed.
  localparam logic [63:0] PaceDividend = 64'd8000000000 << 30;

  logic [63:0] until_q, divisor_q;
  logic [63:0] remainder_q, half_remainder, next_remainder;
  logic [63:0] quotient_q, half_quotient, next_quotient;
  logic [64:0] half, half_left, full, full_left;
  always_comb begin
    half           = {remainder_q, quotient_q[63]};
    half_left      = half - {1'b0, divisor_q};
    half_remainder = half_left[64] ? half[63:0] : half_left[63:0];
    half_quotient  = {quotient_q[62:0], !half_left[64]};
    full           = {half_remainder, half_quotient[63]};
    full_left      = full - {1'b0, divisor_q};
    next_remainder = full_left[64] ? full[63:0] : full_left[63:0];
    next_quotient  = {half_quotient[62:0], !full_left[64]};
  end
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      remainder_q <= 64'd0;
      quotient_q  <= period_i ? until_i - since_i : PaceDividend;
      divisor_q   <= period_i ? length_i : {32'b0, rate_i};
      rounds_o    <= period_i ? 6'd32 : 6'(PaceClocks);
      if (period_i) until_q <= until_i;
    end else begin
      remainder_q <= next_remainder;
      quotient_q  <= next_quotient;
      rounds_o    <= rounds_o - 6'd1;
    end
  end
  assign pace_o  = quotient_q[56:0];
  assign began_o = until_q - remainder_q;
endmodule : dcqcn_rp_divider
`resetall
