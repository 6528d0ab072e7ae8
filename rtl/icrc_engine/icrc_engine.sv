// SPDX-License-Identifier: Apache-2.0
// ICRC of RoCEv2 frames (IBTA annex A17.3.1; models/packet/wire/crc.h), 64 bytes a clock, packets
// back to back. Takes a frame from its destination MAC on, without padding and FCS. Over a frame that ends with
// its ICRC, good tells whether that is right; over one without, crc is what to append. Leaves out:
// IP options, more than one VLAN tag, and a split of the XOR tree over clocks.
//
//   word -> [1: parsed, masked] -> [2: CRC of the word] -> result, a clock for the tail word only
`default_nettype none
`include "sluice_fault.svh"
module icrc_engine #(
  /// Clocks from the tail word to the result, without back-pressure.
  localparam int unsigned Latency = 2
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         in_valid_i,
  output logic              in_ready_o,
  input  wire logic [511:0] in_data_i,     // byte 0 of the frame in bits 7:0
  input  wire logic [63:0]  in_keep_i,     // of the tail word: its bytes, from byte 0 on
  input  wire logic         in_last_i,
  output logic              out_valid_o,
  input  wire logic         out_ready_i,
  output logic [31:0]       out_crc_o,
  output logic              out_good_o
);
  `SLUICE_FAULT_DECL
  localparam logic [31:0] Seed    = 32'hDEBB20E3;          // register after eight bytes of ones
  localparam logic [31:0] Residue = 32'h2144DF1C;          // CRC over a frame and its CRC

  function automatic [31:0] crc_byte(input [31:0] crc, input [7:0] data);
    crc_byte = crc ^ {24'b0, data};
    for (int i = 0; i < 8; i++) begin
      crc_byte = {1'b0, crc_byte[31:1]} ^ (crc_byte[0] ? 32'hEDB88320 : 32'h0);
    end
  endfunction

  logic move;
  assign move       = !out_valid_o || `SLUICE_FAULT(9, out_ready_i, 1'b1);
  assign in_ready_o = move;

  // Stage 1: which bytes count, and which of them as ones.
  logic [1:0] word_q;                                      // of the packet; 2: all later ones
  logic       vlan_q, ipv6_q, vlan, ipv6;
  assign vlan = (word_q == 2'd0) ? in_data_i[12*8 +: 16] == 16'h0081 : vlan_q;
  assign ipv6 = (word_q == 2'd0)
                ? (`SLUICE_FAULT(3, vlan, 1'b0) ? in_data_i[18*8+4 +: 4] : in_data_i[14*8+4 +: 4]) == 4'd6
                : ipv6_q;

  // Masks as of an untagged frame, moved by four bytes for a tag.
  logic [127:0] ones_plain, ones;                          // a bit a byte of the frame
  logic [511:0] masked;
  logic [63:0]  counts;
  always_comb begin
    ones_plain = '0;
    if (ipv6) begin
      ones_plain[15]    = 1'b1;                            // traffic class, flow label
      ones_plain[17:16] = `SLUICE_FAULT(6, 2'b11, 2'b01);
      ones_plain[21]    = 1'b1;                            // hop limit
      ones_plain[61:60] = 2'b11;                           // UDP checksum
      ones_plain[66]    = `SLUICE_FAULT(5, 1'b1, 1'b0);    // BTH, reserved
    end else begin
      ones_plain[15]    = 1'b1;                            // type of service
      ones_plain[22]    = `SLUICE_FAULT(1, 1'b1, 1'b0);    // time to live
      ones_plain[25:24] = `SLUICE_FAULT(2, 2'b11, 2'b01);  // header checksum
      ones_plain[41:40] = 2'b11;
      ones_plain[46]    = `SLUICE_FAULT(4, 1'b1, 1'b0);
    end
    ones = vlan ? {ones_plain[123:0], 4'b0} : ones_plain;
    counts = in_last_i ? `SLUICE_FAULT(8, in_keep_i, '1) : '1;
    if (word_q == 2'd0) counts[17:0] = counts[17:0] & {{4{!vlan}}, 14'b0};
    masked = in_data_i;
    for (int i = 0; i < 64; i++) begin
      if (word_q == 2'd0 && ones[i] || word_q == 2'd1 && ones[64+i]) masked[i*8 +: 8] = 8'hff;
    end
    if (word_q == 2'd0 && ipv6) begin                      // traffic class shares a byte
      if (vlan) masked[18*8 +: 4] = 4'hf;
      else      masked[14*8 +: 4] = 4'hf;
    end
  end

  logic         s1_valid_q, s1_last_q, s1_first_q;
  logic [511:0] s1_data_q;
  logic [63:0]  s1_counts_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s1_valid_q <= 1'b0;
      word_q     <= 2'd0;
    end else if (move) begin
      s1_valid_q <= in_valid_i;
      if (in_valid_i) begin
        if (in_last_i)           word_q <= 2'd0;
        else if (word_q != 2'd2) word_q <= `SLUICE_FAULT(10, word_q + 2'd1, 2'd1);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (move) begin
      s1_last_q   <= in_last_i;
      s1_first_q  <= word_q == 2'd0;
      s1_data_q   <= masked;
      s1_counts_q <= counts;
      if (in_valid_i) begin
        vlan_q <= vlan;
        ipv6_q <= ipv6;
      end
    end
  end

  // Stage 2: the register after this word.
  logic [31:0] crc_q, crc;
  always_comb begin
    crc = `SLUICE_FAULT(7, s1_first_q, 1'b0) ? Seed : crc_q;
    for (int i = 0; i < 64; i++) begin
      if (s1_counts_q[i]) crc = crc_byte(crc, s1_data_q[i*8 +: 8]);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni)   out_valid_o <= 1'b0;
    else if (move) out_valid_o <= s1_valid_q && s1_last_q;
  end
  always_ff @(posedge clk_i) begin
    if (move && s1_valid_q) crc_q <= crc;
  end
  assign out_crc_o  = ~crc_q;
  assign out_good_o = ~crc_q == `SLUICE_FAULT(11, Residue, 32'hDEBB20E3);

`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o && $past(move, 1) && $past(move, 2) |-> $past(in_valid_i && in_last_i, Latency));
  a_hold: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni))
    $past(out_valid_o && !out_ready_i) |-> out_valid_o && $stable(out_crc_o));
  a_keep: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i && in_last_i |-> in_keep_i[0] && (in_keep_i & (in_keep_i + 64'd1)) == 64'd0);
`endif
endmodule : icrc_engine
`resetall
