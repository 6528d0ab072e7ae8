// SPDX-License-Identifier: Apache-2.0
// RS(544,514) over GF(2^10), IEEE 802.3 clauses 91 and 119 (models/link/fec): systematic encoder and
// syndrome check, `Symbols` a clock each. Leaves out: correction, interleaving, transcoding.
//
// The encoder stops its input for 30/Symbols clocks behind every 514 symbols and sends the parity.
`default_nettype none
`include "sluice_fault.svh"
module rs_fec #(
  /// Symbols a clock: 1 or 2.
  parameter int unsigned Symbols /*verilator public*/ = 2,
  /// Clocks from a word to its place in the codeword, and from a codeword's end to its syndromes.
  localparam int unsigned Latency = 1
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  // Encoder: data in, codeword out. The symbol sent first is in the low bits.
  input  wire logic                  enc_valid_i,
  output logic                       enc_ready_o,
  input  wire logic [10*Symbols-1:0] enc_data_i,
  output logic                       enc_valid_o,
  output logic [10*Symbols-1:0]      enc_data_o,
  output logic                       enc_last_o,
  // Check: codeword in; syndrome i, at alpha^i, in bits 10 i + 9 to 10 i.
  input  wire logic                  chk_valid_i,
  input  wire logic [10*Symbols-1:0] chk_data_i,
  output logic                       chk_valid_o,
  output logic                       chk_error_o,
  output logic [299:0]               chk_syndromes_o
);
  `SLUICE_FAULT_DECL
  localparam int Count = Symbols;
  localparam logic [8:0] DataWords = 9'(514 / Symbols);
  localparam logic [9:0] CodeWords = 10'(544 / Symbols);
  // Generator without its leading 1, and its roots; x^0 and alpha^0 in the low bits.
  localparam logic [299:0] Generator = {
    10'd575, 10'd552, 10'd187, 10'd230, 10'd552, 10'd1, 10'd108, 10'd565,
    10'd282, 10'd249, 10'd593, 10'd132, 10'd94, 10'd720, 10'd495, 10'd385,
    10'd942, 10'd503, 10'd883, 10'd361, 10'd788, 10'd610, 10'd193, 10'd392,
    10'd127, 10'd185, 10'd158, 10'd128, 10'd834, 10'd523};
  localparam logic [299:0] Roots = {
    10'd800, 10'd400, 10'd200, 10'd100, 10'd50, 10'd25, 10'd520, 10'd260,
    10'd130, 10'd65, 10'd548, 10'd274, 10'd137, 10'd576, 10'd288, 10'd144,
    10'd72, 10'd36, 10'd18, 10'd9, 10'd512, 10'd256, 10'd128, 10'd64,
    10'd32, 10'd16, 10'd8, 10'd4, 10'd2, 10'd1};

  function automatic [9:0] gf_mul(input [9:0] a, input [9:0] b);
    gf_mul = 10'd0;
    for (int i = 9; i >= 0; i--) begin
      gf_mul = {gf_mul[8:0], 1'b0} ^ (gf_mul[9] ? `SLUICE_FAULT(1, 10'h009, 10'h081) : 10'd0)
               ^ (b[i] ? a : 10'd0);
    end
  endfunction

  // Encoder: division by the generator; the remainder's x^29 is in the top bits.
  logic [9:0]             enc_word_q;
  logic [299:0]           rest_q, rest;
  logic                   in_data, enc_take, enc_step;
  logic [10*Symbols-1:0]  enc_word;
  logic [9:0]             feedback;
  assign in_data     = enc_word_q < {1'b0, DataWords} + `SLUICE_FAULT(2, 10'd0, 10'd1);
  assign enc_ready_o = in_data;
  assign enc_take    = enc_valid_i && in_data;
  assign enc_step    = enc_take || !in_data;
  always_comb begin
    rest     = rest_q;
    enc_word = enc_data_i;
    feedback = 10'd0;
    for (int s = 0; s < Count; s++) begin
      if (in_data) begin
        feedback = enc_data_i[s*10 +: 10] ^ `SLUICE_FAULT(3, rest[299:290], rest_q[299:290]);
      end else begin
        feedback = 10'd0;
        enc_word[s*10 +: 10] = `SLUICE_FAULT(4, rest[299:290], rest[9:0]);
      end
      rest = {rest[289:0], 10'd0};
      for (int i = 0; i < 30; i++) begin
        rest[i*10 +: 10] = rest[i*10 +: 10] ^ gf_mul(Generator[i*10 +: 10], feedback);
      end
    end
  end
  logic enc_end;
  assign enc_end = enc_word_q == CodeWords - 10'd1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      enc_word_q  <= 10'd0;
      rest_q      <= '0;
      enc_valid_o <= 1'b0;
    end else begin
      enc_valid_o <= enc_step;
      if (`SLUICE_FAULT(5, enc_step, 1'b1)) rest_q <= rest;
      if (enc_step) enc_word_q <= enc_end ? 10'd0 : enc_word_q + 10'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    enc_data_o <= enc_word;
    enc_last_o <= enc_step && enc_end;
  end

  // Check: Horner's rule at every root.
  logic [9:0]   chk_word_q;
  logic [299:0] sum_q, sum;
  logic         chk_end;
  always_comb begin
    sum = `SLUICE_FAULT(6, chk_word_q == 10'd0, 1'b0) ? '0 : sum_q;
    for (int s = 0; s < Count; s++) begin
      for (int i = 0; i < 30; i++) begin
        sum[i*10 +: 10] = gf_mul(Roots[i*10 +: 10], sum[i*10 +: 10])
                          ^ chk_data_i[`SLUICE_FAULT(7, s, Count - 1 - s)*10 +: 10];
      end
    end
  end
  assign chk_end = chk_word_q == CodeWords - `SLUICE_FAULT(8, 10'd1, 10'd2);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      chk_word_q  <= 10'd0;
      chk_valid_o <= 1'b0;
    end else begin
      chk_valid_o <= chk_valid_i && chk_end;
      if (chk_valid_i) chk_word_q <= chk_end ? 10'd0 : chk_word_q + 10'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (`SLUICE_FAULT(9, chk_valid_i, 1'b1)) sum_q <= sum;
  end
  assign chk_syndromes_o = sum_q;
  assign chk_error_o     = `SLUICE_FAULT(10, |sum_q, |sum_q[299:10]);

  if (Symbols != 1 && Symbols != 2) begin : g_chk_symbols
    $error("Symbols must be 1 or 2");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    enc_valid_o == $past(enc_valid_i || !enc_ready_o, Latency));
`endif
endmodule : rs_fec
`resetall
