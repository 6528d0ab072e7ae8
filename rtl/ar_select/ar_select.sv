// SPDX-License-Identifier: Apache-2.0
// The pick of an adaptive group (models/switch/routing/graded_selector.h): best grade, alternates,
// weighted draw, flow sets with an idle time, rebalancing. One pick a clock, answered Latency clocks
// later; grades, time and draws are inputs. Leaves out: how ports come to their grades.
//
//   pick -> [1: members, grades] -> [2: best] -> [3: candidates] -> [4: draw] -> [5: flow set read]
//        -> [6: stay or move, flow set written] -> answer
//
// Everything that does not depend on the flow set is done before it is read, so that its update
// takes one clock; a flow set picked in two clocks running is forwarded from stage 6 to stage 5.
`default_nettype none
`include "sluice_fault.svh"
module ar_select #(
  /// Members of a group, 2 to 128.
  parameter int unsigned Members  /*verilator public*/ = 64,
  /// Groups, 2 to 4096.
  parameter int unsigned Groups   /*verilator public*/ = 256,
  /// Flow sets of all groups, 2 to 65536.
  parameter int unsigned FlowSets /*verilator public*/ = 16384,
  /// Clocks from pick to answer.
  localparam int unsigned Latency /*verilator public*/ = 6,
  localparam int unsigned GroupBits  = $clog2(Groups),
  localparam int unsigned MemberBits = $clog2(Members),
  localparam int unsigned FlowBits   = $clog2(FlowSets),
  localparam int unsigned WeightBits = 16,
  localparam int unsigned TimeBits   = 56
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  // Policy, at rest.
  input  wire logic [1:0]             cfg_keep_i,           // 0 not, 1 while active, 2 always
  input  wire logic                   cfg_former_if_best_i,
  input  wire logic                   cfg_by_grade_i,
  input  wire logic                   cfg_any_free_i,
  input  wire logic                   cfg_weighted_i,
  input  wire logic [7:0]             cfg_worst_i,          // grade
  input  wire logic [8:0]             cfg_alternate_from_i, // 256: never
  input  wire logic [7:0]             cfg_alternate_cost_i,
  input  wire logic [8:0]             cfg_rebalance_delta_i,// 0: never
  input  wire logic [32:0]            cfg_rebalance_below_i,// of 2^32
  input  wire logic [FlowBits:0]      cfg_flow_sets_i,      // of a group; 0: none
  input  wire logic [TimeBits-1:0]    cfg_idle_i,           // ps
  // One group's members; counts for picks from the next clock on.
  input  wire logic                   row_valid_i,
  input  wire logic [GroupBits-1:0]   row_group_i,
  input  wire logic [Members-1:0]     row_usable_i,
  input  wire logic [Members-1:0]     row_alternate_i,
  input  wire logic [Members*WeightBits-1:0] row_weights_i,
  // Pick.
  input  wire logic                   in_valid_i,
  input  wire logic [GroupBits-1:0]   in_group_i,
  input  wire logic [31:0]            in_hash_i,            // names the flow set
  input  wire logic [TimeBits-1:0]    in_now_i,             // ps
  input  wire logic [31:0]            in_draw_i,
  input  wire logic [31:0]            in_move_i,
  input  wire logic [Members*8-1:0]   in_grades_i,          // a member of the group each, 0 is best
  input  wire logic [Members-1:0]     in_demoted_i,
  // Answer.
  output logic                        out_valid_o,
  output logic                        out_found_o,          // 0: no member can be used
  output logic [MemberBits-1:0]       out_member_o,
  output logic                        out_busy_o,
  output logic                        out_placed_o,         // for counters
  output logic                        out_moved_o,
  output logic                        out_rebalanced_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned RowBits   = 2 * Members + Members * WeightBits;
  localparam int unsigned SumBits   = WeightBits + MemberBits + 1;
  localparam int unsigned EntryBits = TimeBits + MemberBits;
  localparam [8:0] Unusable = 9'd256;                       // a grade

  logic [RowBits-1:0]   rows  [Groups];
  logic [EntryBits-1:0] flows [FlowSets];
  logic [FlowSets-1:0]  placed_q;                           // else unplaced: memories have no reset
  always_ff @(posedge clk_i) begin
    if (row_valid_i) rows[row_group_i] <= {row_usable_i, row_alternate_i, row_weights_i};
  end

  // Stage 1: the group's members, its flow set's place.
  logic [5:1]          valid_q;
  logic [RowBits-1:0]  s1_row_q;
  logic [Members*8-1:0] s1_grades_q;
  logic [Members-1:0]  s1_demoted_q;
  logic [FlowBits-1:0] set_q [1:5];
  logic [TimeBits-1:0] now_q [1:5];
  logic [31:0]         move_q [1:5];
  logic [31:0]         draw_q [1:3];
  logic [31+FlowBits:0] scaled;
  logic [FlowBits-1:0] flow_base;
  assign scaled    = {{FlowBits{1'b0}}, in_hash_i} * {31'b0, cfg_flow_sets_i};
  assign flow_base = FlowBits'({{FlowBits{1'b0}}, in_group_i} * {{GroupBits-1{1'b0}}, cfg_flow_sets_i});
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= {valid_q[4:1], in_valid_i};
  end
  always_ff @(posedge clk_i) begin
    s1_row_q     <= rows[in_group_i];
    s1_grades_q  <= in_grades_i;
    s1_demoted_q <= in_demoted_i;
    set_q[1]     <= flow_base + scaled[32 +: FlowBits];
    now_q[1]     <= in_now_i;
    move_q[1]    <= in_move_i;
    draw_q[1]    <= in_draw_i;
    for (int s = 2; s <= 5; s++) begin
      set_q[s]  <= set_q[s-1];
      now_q[s]  <= now_q[s-1];
      move_q[s] <= move_q[s-1];
    end
    for (int s = 2; s <= 3; s++) draw_q[s] <= draw_q[s-1];
  end

  // Stage 2: what each member is worth, the best of the primaries and of the alternates.
  logic [Members-1:0]   s1_usable, s1_alternate;
  logic [Members*9-1:0] s1_worth;
  logic [8:0]           primary, alternate;
  assign s1_usable    = s1_row_q[RowBits-1 -: Members];
  assign s1_alternate = s1_row_q[RowBits-1-Members -: Members];
  always_comb begin
    primary   = Unusable;
    alternate = Unusable;
    s1_worth  = '0;
    for (int m = 0; m < Members; m++) begin
      if (!`SLUICE_FAULT(1, s1_usable[m], 1'b1)) s1_worth[m*9 +: 9] = Unusable;
      else if (!cfg_by_grade_i)                  s1_worth[m*9 +: 9] = '0;
      else if (`SLUICE_FAULT(2, s1_demoted_q[m], 1'b0)) s1_worth[m*9 +: 9] = {1'b0, cfg_worst_i};
      else                                       s1_worth[m*9 +: 9] = {1'b0, s1_grades_q[m*8 +: 8]};
      if (s1_alternate[m]) begin
        if (s1_worth[m*9 +: 9] < alternate) alternate = s1_worth[m*9 +: 9];
      end else begin
        if (s1_worth[m*9 +: 9] < primary) primary = s1_worth[m*9 +: 9];
      end
    end
  end
  logic worth_it;
  assign worth_it = alternate != Unusable && (primary == Unusable
    || (primary >= cfg_alternate_from_i
        && `SLUICE_FAULT(3, {1'b0, alternate} + {2'b0, cfg_alternate_cost_i} < {1'b0, primary},
                            {1'b0, alternate} + {2'b0, cfg_alternate_cost_i} <= {1'b0, primary})));

  logic                 s2_use_alternates_q;
  logic [8:0]           best_q [2:5];
  logic [Members*9-1:0] worth_q [2:5];
  logic [Members-1:0]   s2_alternate_q;
  logic [Members*WeightBits-1:0] s2_weights_q;
  always_ff @(posedge clk_i) begin
    s2_use_alternates_q <= worth_it;
    best_q[2]           <= worth_it ? alternate : primary;
    worth_q[2]          <= s1_worth;
    s2_alternate_q      <= s1_alternate;
    s2_weights_q        <= s1_row_q[Members*WeightBits-1:0];
    for (int s = 3; s <= 5; s++) begin
      best_q[s]  <= best_q[s-1];
      worth_q[s] <= worth_q[s-1];
    end
  end

  // Stage 3: shares of the candidates, and their sum up to each of them.
  logic [Members*SumBits-1:0] sums, s3_sums_q;
  logic [SumBits-1:0]         sum;
  always_comb begin
    sum  = '0;
    sums = '0;
    for (int m = 0; m < Members; m++) begin
      if (worth_q[2][m*9 +: 9] != Unusable
          && `SLUICE_FAULT(4, s2_alternate_q[m] == s2_use_alternates_q, 1'b1)
          && (worth_q[2][m*9 +: 9] == best_q[2]
              || (cfg_any_free_i && worth_q[2][m*9 +: 9] < {1'b0, cfg_worst_i}))) begin
        sum = sum + (`SLUICE_FAULT(5, cfg_weighted_i, 1'b1)
                     ? {{SumBits-WeightBits{1'b0}}, s2_weights_q[m*WeightBits +: WeightBits]}
                     : SumBits'(1));
      end
      sums[m*SumBits +: SumBits] = sum;
    end
  end
  always_ff @(posedge clk_i) s3_sums_q <= sums;

  // Stage 4: the first member whose sum is above draw x sum / 2^32.
  logic [31+SumBits:0]   drawn;
  logic [SumBits-1:0]    at;
  logic [MemberBits-1:0] chosen, chosen_q [4:5];
  assign drawn = {{SumBits{1'b0}}, draw_q[3]}
                 * {32'b0, s3_sums_q[(Members-1)*SumBits +: SumBits]};
  assign at    = drawn[32 +: SumBits];
  always_comb begin
    chosen = '0;
    for (int m = Members - 1; m >= 0; m--) begin
      if (`SLUICE_FAULT(6, at < s3_sums_q[m*SumBits +: SumBits], at <= s3_sums_q[m*SumBits +: SumBits]))
        chosen = MemberBits'(m);
    end
  end

  // Stage 5: the flow set.
  logic                 s6_write, same_set;
  logic [EntryBits-1:0] s6_entry, s5_entry_q;
  logic                 s5_placed_q;
  logic [FlowBits-1:0]  s4_set;
  assign s4_set   = set_q[4];
  assign same_set = s6_write && set_q[5] == s4_set;
  always_ff @(posedge clk_i) begin
    chosen_q[4] <= chosen;
    chosen_q[5] <= chosen_q[4];
    if (`SLUICE_FAULT(7, same_set, 1'b0)) begin
      s5_entry_q  <= s6_entry;
      s5_placed_q <= 1'b1;
    end else begin
      s5_entry_q  <= flows[s4_set];
      s5_placed_q <= `SLUICE_FAULT(8, placed_q[s4_set], 1'b1);
    end
  end

  // Stage 6: where the flow set is, whether it stays.
  logic                  has_sets, found, busy, stay, at_once, better, former, place, flow_usable;
  logic [MemberBits-1:0] flow_member, member;
  logic [TimeBits-1:0]   flow_last, gap;
  logic [8:0]            flow_worth;
  assign {flow_last, flow_member} = s5_entry_q;
  assign has_sets    = cfg_flow_sets_i != '0;
  assign found       = best_q[5] != Unusable;
  assign busy        = cfg_by_grade_i && best_q[5] >= {1'b0, cfg_worst_i};
  assign flow_worth  = worth_q[5][flow_member*9 +: 9];
  assign flow_usable = s5_placed_q && flow_worth != Unusable;
  assign gap         = now_q[5] - flow_last;
  assign stay = has_sets && flow_usable
    && (cfg_keep_i == 2'd2
        || (cfg_keep_i == 2'd1 && `SLUICE_FAULT(9, gap < cfg_idle_i, gap <= cfg_idle_i)));
  assign at_once = stay && (cfg_rebalance_delta_i == '0
    || `SLUICE_FAULT(10, {1'b0, move_q[5]} >= cfg_rebalance_below_i,
                         {1'b0, move_q[5]} > cfg_rebalance_below_i));
  assign better = {1'b0, flow_worth} >= {1'b0, best_q[5]} + {1'b0, cfg_rebalance_delta_i};
  assign former = !stay && cfg_former_if_best_i && flow_usable && flow_worth == best_q[5];
  assign place  = has_sets && !at_once && found && (stay ? better : !former);
  assign member = has_sets && (at_once || (stay && !better) || former) ? flow_member : chosen_q[5];

  assign s6_write  = valid_q[5] && has_sets && found;
  assign s6_entry  = {now_q[5], member};
  always_ff @(posedge clk_i) begin
    // So many bits are meant.
    // verilator lint_off WIDTHCONCAT
    if (!rst_ni) placed_q <= '0;
    // verilator lint_on WIDTHCONCAT
    else if (s6_write) placed_q[set_q[5]] <= 1'b1;
    if (s6_write) flows[set_q[5]] <= `SLUICE_FAULT(11, s6_entry, {place ? now_q[5] : flow_last, member});
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= valid_q[5];
  end
  always_ff @(posedge clk_i) begin
    out_found_o      <= found;
    out_member_o     <= member;
    out_busy_o       <= found && busy && !at_once;
    out_placed_o     <= place;
    out_moved_o      <= place && s5_placed_q && flow_member != member;
    out_rebalanced_o <= place && stay;
  end

  if (Members < 2 || Members > 128) begin : g_chk_members
    $error("Members must be 2 to 128");
  end
  if (Groups < 2 || Groups > 4096) begin : g_chk_groups
    $error("Groups must be 2 to 4096");
  end
  if (FlowSets < 2 || FlowSets > 65536) begin : g_chk_flow_sets
    $error("FlowSets must be 2 to 65536");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_counts: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o && (out_moved_o || out_rebalanced_o) |-> out_placed_o);
  a_place: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> 32'(in_group_i) * 32'(cfg_flow_sets_i) + 32'(cfg_flow_sets_i) <= FlowSets);
`endif
  logic unused;
  assign unused = ^{scaled[31:0], drawn[31:0]};
endmodule : ar_select
`resetall
