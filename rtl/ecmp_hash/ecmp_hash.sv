// SPDX-License-Identifier: Apache-2.0
// A packet's bucket of an ECMP group (models/switch/routing/ecmp_hash.h): CRC-32, XOR or Toeplitz
// over the chosen header fields, the group's seed through fmix32, times the number of buckets. One
// packet a clock, answered Latency clocks later. Leaves out: the table from bucket to port.
//
//   header -> [1: key] -> [2..6: eight bytes of it each] -> [7, 8: seed, mix] -> [9: bucket]
//
// The key is the chosen fields one after the other in network byte order, first byte on top, 40
// bytes at most. All three hashes run along; the algorithm picks one at the end.
`default_nettype none
`include "sluice_fault.svh"
module ecmp_hash #(
  /// Clocks from request to response.
  localparam int unsigned Latency /*verilator public*/ = 9,
  localparam int unsigned KeyBytes = 40,
  localparam int unsigned Segments = 5
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  // Configuration, at rest.
  input  wire logic [1:0]   cfg_algorithm_i,     // 0 CRC-32, 1 XOR, 2 Toeplitz
  input  wire logic [5:0]   cfg_fields_i,        // source, destination, protocol, ports, QP from bit 0
  // Request.
  input  wire logic         in_valid_i,
  input  wire logic         in_ipv6_i,
  input  wire logic [127:0] in_source_i,         // IPv4: the upper 32 bits
  input  wire logic [127:0] in_destination_i,
  input  wire logic [7:0]   in_protocol_i,
  input  wire logic [15:0]  in_source_port_i,
  input  wire logic [15:0]  in_destination_port_i,
  input  wire logic [23:0]  in_qp_i,
  input  wire logic         in_given_i,          // the hash came with the packet
  input  wire logic [31:0]  in_hash_i,
  input  wire logic [31:0]  in_seed_i,           // of the group
  input  wire logic [31:0]  in_buckets_i,
  // Response.
  output logic              out_valid_o,
  output logic [31:0]       out_hash_o,
  output logic [31:0]       out_bucket_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned KeyBits = 8 * KeyBytes;
  /// Microsoft's verification key, first byte on top.
  localparam [KeyBits-1:0] ToeplitzKey = {
    64'h6d5a56da255b0ec2, 64'h4167253d43a38fb0, 64'hd0ca2bcbae7b30b4,
    64'h77cb2da38030f20c, 64'h6a42b73bbeac01fa};
  localparam [31:0] Polynomial = 32'hEDB88320;  // 04C11DB7, bits reversed

  // The register after one byte, least significant bit first.
  function automatic logic [31:0] crc_step(input logic [31:0] crc, input logic [7:0] data);
    logic [31:0] c;
    c = crc ^ {24'b0, data};
    for (int i = 0; i < 8; i++) c = c[0] ? (c >> 1) ^ Polynomial : c >> 1;
    crc_step = c;
  endfunction

  // Stage 1: the key, built from its last field to its first, so that it begins at the top.
  logic [KeyBits-1:0] key;
  logic [5:0]         key_bytes;
  always_comb begin
    key       = '0;
    key_bytes = '0;
    if (cfg_fields_i[5]) begin
      key       = {in_qp_i, key[KeyBits-1:24]};
      key_bytes = key_bytes + 6'd3;
    end
    if (cfg_fields_i[4]) begin
      key       = {in_destination_port_i, key[KeyBits-1:16]};
      key_bytes = key_bytes + 6'd2;
    end
    if (cfg_fields_i[3]) begin
      key       = {`SLUICE_FAULT(1, in_source_port_i, {in_source_port_i[7:0], in_source_port_i[15:8]}),
                   key[KeyBits-1:16]};
      key_bytes = key_bytes + 6'd2;
    end
    if (`SLUICE_FAULT(2, cfg_fields_i[2], 1'b1)) begin
      key       = {in_protocol_i, key[KeyBits-1:8]};
      key_bytes = key_bytes + 6'd1;
    end
    if (cfg_fields_i[1]) begin
      if (in_ipv6_i) key = {in_destination_i, key[KeyBits-1:128]};
      else           key = {in_destination_i[127:96], key[KeyBits-1:32]};
      key_bytes = key_bytes + (`SLUICE_FAULT(3, in_ipv6_i, 1'b0) ? 6'd16 : 6'd4);
    end
    if (cfg_fields_i[0]) begin
      if (in_ipv6_i) key = {in_source_i, key[KeyBits-1:128]};
      else           key = {in_source_i[127:96], key[KeyBits-1:32]};
      key_bytes = key_bytes + (in_ipv6_i ? 6'd16 : 6'd4);
    end
  end

  // What goes along: given, given hash, seed, buckets.
  localparam int unsigned AlongBits = 1 + 32 + 32 + 32;
  logic [Segments:0]  valid_q;
  logic [KeyBits-1:0] key_q      [Segments+1];
  logic [5:0]         bytes_q    [Segments+1];
  logic [31:0]        crc_q      [Segments+1];
  logic [31:0]        xor_q      [Segments+1];
  logic [31:0]        toeplitz_q [Segments+1];
  logic [AlongBits-1:0] along_q  [Segments+1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= {valid_q[Segments-1:0], in_valid_i};
  end
  always_ff @(posedge clk_i) begin
    key_q[0]      <= key;
    bytes_q[0]    <= key_bytes;
    crc_q[0]      <= `SLUICE_FAULT(4, 32'hFFFFFFFF, 32'h0);
    xor_q[0]      <= '0;
    toeplitz_q[0] <= '0;
    along_q[0]    <= {in_given_i, in_hash_i, in_seed_i, in_buckets_i};
  end

  // Stages 2 to 6: bytes 8 s to 8 s + 7. The key is 0 behind its end, which only CRC-32 sees.
  for (genvar s = 0; s < Segments; s++) begin : g_segment
    logic [31:0] crc, folded, toeplitz;
    logic [63:0] data;
    assign data = key_q[s][KeyBits-1-64*s -: 64];
    always_comb begin
      crc = crc_q[s];
      for (int i = 0; i < 8; i++) begin
        if (`SLUICE_FAULT(5, bytes_q[s] > 6'(8 * s + i), bytes_q[s] >= 6'(8 * s + i))) begin
          crc = crc_step(crc, data[63-8*i -: 8]);
        end
      end
      folded = xor_q[s] ^ data[63:32] ^ data[31:0];
    end
    // The key's bits from this segment on, which begin again after the last.
    logic [94:0] window;
    if (s + 1 < Segments) begin : g_inside
      assign window = ToeplitzKey[KeyBits-1-64*s -: 95];
    end else begin : g_wrap
      assign window = {ToeplitzKey[63:0],
                       `SLUICE_FAULT(6, ToeplitzKey[KeyBits-1 -: 31], 31'b0)};
    end
    always_comb begin
      toeplitz = toeplitz_q[s];
      for (int i = 0; i < 64; i++) begin
        if (data[63-i]) toeplitz = toeplitz ^ window[94-i -: 32];
      end
    end
    always_ff @(posedge clk_i) begin
      key_q[s+1]      <= key_q[s];
      bytes_q[s+1]    <= bytes_q[s];
      crc_q[s+1]      <= crc;
      xor_q[s+1]      <= folded;
      toeplitz_q[s+1] <= toeplitz;
      along_q[s+1]    <= along_q[s];
    end
  end

  logic        given;
  logic [31:0] given_hash, seed, buckets, computed, hash;
  assign {given, given_hash, seed, buckets} = along_q[Segments];
  always_comb begin
    case (cfg_algorithm_i)
      2'd1:    computed = xor_q[Segments];
      2'd2:    computed = toeplitz_q[Segments];
      default: computed = `SLUICE_FAULT(7, ~crc_q[Segments], crc_q[Segments]);
    endcase
    hash = `SLUICE_FAULT(8, given, 1'b0) ? given_hash : computed;
  end

  // Stages 7 and 8: fmix32 of hash and seed; a multiplication each.
  logic        s7_valid_q, s8_valid_q;
  logic [31:0] s7_mix_q, s7_buckets_q, s7_hash_q, s8_mix_q, s8_buckets_q, s8_hash_q;
  logic [31:0] seeded, first, second;
  logic [63:0] product;
  assign seeded  = hash ^ seed;
  assign first   = seeded ^ (seeded >> 16);
  assign second  = s7_mix_q ^ (s7_mix_q >> `SLUICE_FAULT(9, 13, 15));
  assign product = {32'b0, s8_mix_q ^ `SLUICE_FAULT(10, s8_mix_q >> 16, 32'b0)} * {32'b0, s8_buckets_q};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {out_valid_o, s8_valid_q, s7_valid_q} <= '0;
    else         {out_valid_o, s8_valid_q, s7_valid_q} <= {s8_valid_q, s7_valid_q, valid_q[Segments]};
  end
  always_ff @(posedge clk_i) begin
    s7_mix_q     <= first * 32'h85ebca6b;
    s7_buckets_q <= buckets;
    s7_hash_q    <= hash;
    s8_mix_q     <= second * 32'hc2b2ae35;
    s8_buckets_q <= s7_buckets_q;
    s8_hash_q    <= s7_hash_q;
    out_hash_o   <= s8_hash_q;
    out_bucket_o <= product[63:32];
  end

`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_inside: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o |-> out_bucket_o < $past(in_buckets_i, Latency));
  a_algorithm: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> cfg_algorithm_i != 2'd3 && in_buckets_i != 32'd0);
`endif
  logic unused;
  assign unused = ^{product[31:0], key_q[Segments], bytes_q[Segments]};
endmodule : ecmp_hash
`resetall
