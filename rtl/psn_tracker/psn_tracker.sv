// SPDX-License-Identifier: Apache-2.0
// The receiving ends of a NIC's QPs (models/nic/responder/psn_tracker.h): expected PSN, bitmap of
// packets ahead of it, ACK or NAK decision. One request a clock, answered Latency clocks later.
// Leaves out: what packets mean, and when an ACK is due.
//
//   request -> [1: sequence read] -> [2: sequence written, requests for repeats read]
//           -> [3: those written] -> response
//
// The bitmap lies shifted: bit i is PSN expected + i, so bit 0 is never set. A QP asked in clocks
// running is forwarded from stage 2 to 1 (sequence) and from 3 to 2 (requests for repeats).
// A READ request stands for a span of PSNs, those of its answer: it is taken or kept as a whole.
`default_nettype none
`include "sluice_fault.svh"
module psn_tracker #(
  /// QPs of the NIC, 2 to 65536.
  parameter int unsigned Qps    /*verilator public*/ = 256,
  /// Packets from the expected one on that can be kept, 64 to 1024, a power of two.
  parameter int unsigned Window /*verilator public*/ = 1024,
  localparam int unsigned Latency    = 3,
  localparam int unsigned QpBits     = $clog2(Qps),
  localparam int unsigned OffsetBits = $clog2(Window),
  localparam int unsigned CountBits  = OffsetBits + 1     // 0 to Window
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // Configuration, stable out of reset.
  input  wire logic                 cfg_keeps_early_i,    // else plain go-back-N
  input  wire logic                 cfg_selective_i,      // ask for missing packets alone
  input  wire logic [CountBits-1:0] cfg_window_i,         // packets kept, at most Window
  input  wire logic [15:0]          cfg_reorder_packets_i,
  // Request.
  input  wire logic                 in_valid_i,
  input  wire logic [1:0]           in_op_i,              // Op…
  input  wire logic [QpBits-1:0]    in_qp_i,
  input  wire logic [23:0]          in_psn_i,
  input  wire logic [23:0]          in_span_i,            // OpPacket: PSNs of it, at least 1
  // Response.
  output logic                      out_valid_o,
  output logic [2:0]                out_verdict_o,        // of a packet
  output logic                      out_nak_o,
  output logic [23:0]               out_nak_psn_o,        // first packet asked for
  output logic [63:0]               out_lost_o,           // selective: bit i asks for nak_psn + i
  output logic [24:0]               out_came_o,           // OpGoBack: PSNs that had come
  output logic [23:0]               out_expected_o,
  output logic                      out_asked_o,          // the expected packet was asked for
  output logic [39:0]               out_received_o,       // bit i: expected + i has come
  output logic [CountBits-1:0]      out_kept_o,           // PSNs to the last that has come
  output logic [CountBits-1:0]      out_judged_o          // PSNs of those that were judged
);
  `SLUICE_FAULT_DECL
  localparam logic [1:0] OpAdd = 2'd0, OpPacket = 2'd1, OpGoBack = 2'd2, OpSilence = 2'd3;
  localparam logic [2:0] InOrder = 3'd0, Early = 3'd1, Duplicate = 3'd2, OutOfOrder = 3'd3,
                         OutOfWindow = 3'd4;
  localparam int unsigned Words        = Window / 64;
  localparam int unsigned SequenceBits = 24 + CountBits + Window;
  localparam int unsigned RequestBits  = CountBits + 1;

  logic [SequenceBits-1:0] sequences [Qps];               // expected, kept, bitmap
  logic [RequestBits-1:0]  requests [Qps];                // judged, NAK sent

  // Stage 1.
  logic                    s1_valid_q;
  logic [1:0]              s1_op_q;
  logic [QpBits-1:0]       s1_qp_q;
  logic [23:0]             s1_psn_q, s1_span_q;
  logic [SequenceBits-1:0] s1_sequence_q, s1_next;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else         s1_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    s1_op_q   <= in_op_i;
    s1_qp_q   <= in_qp_i;
    s1_psn_q  <= in_psn_i;
    s1_span_q <= `SLUICE_FAULT(14, in_span_i, 24'd1);
    if (`SLUICE_FAULT(2, s1_valid_q && s1_qp_q == in_qp_i, 1'b0)) s1_sequence_q <= s1_next;
    else s1_sequence_q <= sequences[in_qp_i];
  end

  // Stage 2: the packet against the sequence. It stands for the offsets `ahead` to `after` - 1.
  logic [23:0]           expected, next_expected, ahead;
  logic [24:0]           after;
  logic [CountBits-1:0]  kept, next_kept, taken;
  logic [Window-1:0]     bitmap, next_bitmap, range, with_packet;
  logic [OffsetBits-1:0] offset;
  logic [2:0]            verdict;
  logic                  behind, gaps_before;
  always_comb begin
    {expected, kept, bitmap} = s1_sequence_q;
    ahead       = s1_psn_q - expected;
    after       = {1'b0, ahead} + {1'b0, s1_span_q};
    behind      = `SLUICE_FAULT(3, ahead[23], s1_psn_q < expected);
    offset      = ahead[OffsetBits-1:0];
    gaps_before = kept != '0;
    if (s1_op_q != OpPacket)                             verdict = InOrder;
    else if (ahead == 24'd0) begin
      // Where packets are kept, those behind the expected one begin after its span.
      verdict = gaps_before && `SLUICE_FAULT(15, s1_span_q > 24'(kept), 1'b0) ? OutOfWindow : InOrder;
    end else if (behind)                                 verdict = Duplicate;
    else if (!cfg_keeps_early_i)                         verdict = OutOfOrder;
    else if (`SLUICE_FAULT(4, `SLUICE_FAULT(16, after, 25'(ahead) + 25'd1) > 25'(cfg_window_i),
                           after > 25'(cfg_window_i) + 25'd1))
                                                         verdict = OutOfWindow;
    else if (`SLUICE_FAULT(5, bitmap[offset], 1'b0))     verdict = Duplicate;
    else                                                 verdict = Early;
    range = ({Window{1'b1}} << offset)
            & ~({Window{1'b1}} << `SLUICE_FAULT(17, after[CountBits-1:0], CountBits'(offset) + 1'b1));
    with_packet = bitmap | range;
  end

  // PSNs that the expected packet completes, its own counted: up to the first gap after it.
  logic [63:0]          gaps;
  logic [CountBits-1:0] gap_word;
  logic [5:0]           gap_bit;
  logic                 gap_found;
  always_comb begin
    gaps      = 64'd0;
    gap_word  = '0;
    gap_found = 1'b0;
    for (int unsigned w = 0; w < Words; w += 1) begin
      if (!gap_found) begin
        gaps      = ~with_packet[w*64 +: 64];
        gap_word  = CountBits'(w * 64);
        gap_found = `SLUICE_FAULT(6, gaps != 64'd0, 1'b1);
      end
    end
  end
  assign taken = gap_found ? gap_word + CountBits'(gap_bit) : CountBits'(Window);
  first_set u_first_gap (.bits_i(gaps), .index_o(gap_bit));

  // Packets kept, for a message that begins again.
  logic [Words*7-1:0] counts;
  for (genvar w = 0; w < Words; w += 1) begin : g_counts
    count_set u_count (.bits_i(bitmap[w*64 +: 64]), .count_o(counts[w*7 +: 7]));
  end

  always_comb begin
    next_expected = expected;
    next_kept     = kept;
    next_bitmap   = bitmap;
    unique case (s1_op_q)
      OpAdd: begin
        next_expected = `SLUICE_FAULT(1, s1_psn_q, 24'd0);
        next_kept     = '0;
        next_bitmap   = '0;
      end
      OpPacket: begin
        if (verdict == InOrder && !gaps_before) begin
          next_expected = expected + s1_span_q;             // of any length
        end else if (verdict == InOrder) begin
          next_expected = expected + 24'(taken);
          next_kept     = kept - taken;
          next_bitmap   = with_packet >> taken;
        end else if (verdict == Early) begin
          next_bitmap = with_packet;
          if (after > 25'(kept)) begin
            next_kept = after[CountBits-1:0] - CountBits'(`SLUICE_FAULT(7, 0, 1));
          end
        end
      end
      OpGoBack: begin
        next_expected = s1_psn_q;
        next_kept     = '0;
        next_bitmap   = `SLUICE_FAULT(18, '0, bitmap);
      end
      default: ;
    endcase
    s1_next = {next_expected, next_kept, next_bitmap};
  end
  always_ff @(posedge clk_i) if (s1_valid_q) sequences[s1_qp_q] <= s1_next;

  logic                   s2_valid_q;
  logic [1:0]             s2_op_q;
  logic [2:0]             s2_verdict_q;
  logic [QpBits-1:0]      s2_qp_q;
  logic [23:0]            s2_expected_q, s2_back_q;
  logic [Words*7-1:0]     s2_counts_q;
  logic [CountBits-1:0]   s2_kept_q, s2_taken_q;
  logic [Window-1:0]      s2_bitmap_q;
  logic [RequestBits-1:0] s2_request_q, s2_next;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else         s2_valid_q <= s1_valid_q;
  end
  always_ff @(posedge clk_i) begin
    s2_op_q       <= s1_op_q;
    s2_verdict_q  <= verdict;
    s2_qp_q       <= s1_qp_q;
    s2_expected_q <= next_expected;
    s2_kept_q     <= next_kept;
    s2_taken_q    <= taken;
    s2_back_q     <= expected - s1_psn_q;
    s2_counts_q   <= counts;
    s2_bitmap_q   <= next_bitmap;
    if (`SLUICE_FAULT(8, s2_valid_q && s2_qp_q == s1_qp_q, 1'b0)) s2_request_q <= s2_next;
    else s2_request_q <= requests[s1_qp_q];
  end

  // Stage 3: what is to be asked for.
  logic [CountBits-1:0] judged, from, next_judged, limit, span;
  logic                 sent, silent, next_sent, overdue, judges, nak;
  logic [63:0]          missing, lost;
  logic [5:0]           skip;
  logic [23:0]          nak_psn;
  logic [Window+63:0]   padded;
  assign padded = {64'd0, s2_bitmap_q};
  always_comb begin
    {judged, sent} = s2_request_q;
    from   = judged;
    silent = sent;
    if (s2_op_q == OpPacket && s2_verdict_q == InOrder) begin
      if (`SLUICE_FAULT(9, 1'b1, 1'b0)) from = s2_taken_q > judged ? '0 : judged - s2_taken_q;
      silent = `SLUICE_FAULT(10, 1'b0, sent);
    end
    // With fewer packets behind a gap it may be reordering.
    limit   = s2_kept_q - CountBits'(cfg_reorder_packets_i);
    overdue = s2_op_q == OpPacket && (s2_verdict_q == InOrder || s2_verdict_q == Early)
              && s2_kept_q != '0
              && `SLUICE_FAULT(11, 16'(s2_kept_q) > cfg_reorder_packets_i,
                                   16'(s2_kept_q) >= cfg_reorder_packets_i);
    judges  = overdue && cfg_selective_i && from < limit;
    span    = limit - from;
    if (`SLUICE_FAULT(12, span > CountBits'(64), 1'b0)) span = CountBits'(64);
    missing = ~padded[from +: 64] & ~({64{1'b1}} << span[6:0]);
  end
  first_set u_first_lost (.bits_i(missing), .index_o(skip));
  always_comb begin
    next_judged = from;
    next_sent   = silent;
    nak         = 1'b0;
    nak_psn     = s2_expected_q;
    lost        = 64'd0;
    unique case (s2_op_q)
      OpAdd: begin
        next_judged = '0;
        next_sent   = 1'b0;
      end
      OpPacket: begin
        if (s2_verdict_q == OutOfOrder || (overdue && !cfg_selective_i)) begin
          nak       = `SLUICE_FAULT(13, !silent, 1'b1);
          next_sent = 1'b1;
        end else if (judges) begin
          next_judged = from + span;
          nak         = missing != 64'd0;
          nak_psn     = s2_expected_q + 24'(from) + 24'(skip);
          lost        = missing >> skip;
        end
      end
      OpGoBack:  next_judged = `SLUICE_FAULT(19, '0, from);
      OpSilence: next_sent = 1'b1;
      default: ;
    endcase
    s2_next = {next_judged, next_sent};
  end
  always_ff @(posedge clk_i) if (s2_valid_q) requests[s2_qp_q] <= s2_next;

  // PSNs that had come and are to come again.
  logic [24:0] came;
  always_comb begin
    came = {1'b0, s2_back_q};
    for (int unsigned w = 0; w < Words; w += 1) begin
      came = came + `SLUICE_FAULT(20, 25'(s2_counts_q[w*7 +: 7]), 25'd0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    out_verdict_o  <= s2_verdict_q;
    out_nak_o      <= nak;
    out_nak_psn_o  <= nak ? nak_psn : 24'd0;
    out_lost_o     <= nak ? lost : 64'd0;
    out_came_o     <= s2_op_q == OpGoBack ? came : 25'd0;
    out_expected_o <= s2_expected_q;
    out_asked_o    <= next_judged != '0 || next_sent;
    out_received_o <= s2_bitmap_q[39:0];
    out_kept_o     <= s2_kept_q;
    out_judged_o   <= next_judged;
  end

  if (Qps < 2 || Qps > 65536) begin : g_chk_qps
    $error("Qps must be 2 to 65536");
  end
  if (Window < 64 || Window > 1024 || (Window & (Window - 1)) != 0) begin : g_chk_window
    $error("Window must be a power of two, 64 to 1024");
  end
`ifndef SYNTHESIS
  logic [Qps-1:0] added_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) added_q <= '0;
    else if (in_valid_i && in_op_i == OpAdd) added_q[in_qp_i] <= 1'b1;
  end
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_known_qp: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i && in_op_i != OpAdd |-> added_q[in_qp_i]);
  a_expected_is_missing: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o |-> !out_received_o[0]);
  a_judged_is_kept: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o |-> out_judged_o <= out_kept_o);
  a_nak_names_a_packet: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o && out_nak_o && cfg_selective_i && cfg_keeps_early_i |-> out_lost_o[0]);
  a_window: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> cfg_window_i <= CountBits'(Window));
  a_span: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i && in_op_i == OpPacket |-> in_span_i != 24'd0);
  a_kept_ends_with_a_packet: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s1_valid_q && s1_op_q != OpAdd |->
      (kept == '0 ? bitmap == '0 : bitmap[OffsetBits'(kept - CountBits'(1))]));
`endif
endmodule : psn_tracker
`resetall
