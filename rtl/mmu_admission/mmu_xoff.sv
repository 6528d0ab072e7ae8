// SPDX-License-Identifier: Apache-2.0
// XOFF and XON of mmu_admission's priority groups, stage 4: from the counts that a request leaves.
// The bits depend on counts and never the other way round: this loop is its own, forwarded when
// the next request meets the same group. Leaves out: PFC frames (pfc_tx).
`default_nettype none
`include "sluice_fault.svh"
module mmu_xoff #(
  parameter int unsigned Ports    = 512,
  parameter int unsigned CellBits = 27,
  localparam int unsigned Slices = 4,
  localparam int unsigned SliceBits = 2,
  localparam int unsigned PortBits = $clog2(Ports),
  localparam int unsigned ClassBits = PortBits + 3
) (
  input  wire logic                 clk_i,
  input  wire logic                 map_valid_i,        // starts all slices of the class
  input  wire logic [PortBits-1:0]  map_port_i,
  input  wire logic [2:0]           map_class_i,
  input  wire logic [ClassBits-1:0] s2_pg_i,            // of the request one clock behind
  // Request, decision.
  input  wire logic                 valid_i,
  input  wire logic                 release_i,
  input  wire logic [ClassBits-1:0] pg_i,
  input  wire logic [SliceBits-1:0] slice_i,
  input  wire logic [2:0]           drop_i,
  input  wire logic                 to_min_i,
  input  wire logic                 to_headroom_i,
  // Chip.
  input  wire logic                 nvidia_i,
  input  wire logic                 port_level_i,
  input  wire logic [4:0]           port_alpha_i,
  input  wire logic [CellBits-1:0]  in_min_i,
  input  wire logic                 in_limited_i,
  input  wire logic [CellBits-1:0]  in_limit_i,
  // Profile of the group.
  input  wire logic                 lossless_i,
  input  wire logic                 own_pool_i,
  input  wire logic                 static_i,
  input  wire logic [4:0]           alpha_i,
  input  wire logic [CellBits-1:0]  static_limit_i,
  input  wire logic [CellBits-1:0]  pg_min_i,
  input  wire logic [CellBits-1:0]  xon_i,
  input  wire logic [CellBits-1:0]  xon_offset_i,
  input  wire logic [CellBits-1:0]  xoff_above_i,
  // Counts after the request.
  input  wire logic [CellBits-1:0]  min_i,
  input  wire logic [CellBits-1:0]  total_i,
  input  wire logic [CellBits-1:0]  shared_i,
  input  wire logic [CellBits-1:0]  headroom_i,
  input  wire logic [CellBits-1:0]  pool_limit_i,
  input  wire logic [CellBits-1:0]  pool_used_i,
  input  wire logic [CellBits-1:0]  in_held_i,
  // In the same clock.
  output logic                      xoff_o,
  output logic                      xon_o,
  output logic                      stopped_o           // in any slice
);
  `SLUICE_FAULT_DECL
  `include "mmu_cells.svh"
  localparam logic [CellBits-1:0] One = 1;
  localparam logic [2:0] DropNone = 3'd0, DropQueue = 3'd3;

  // Limits now and with a cell more.
  count_t in_reserve;
  limit_t limit_now, limit_next;
  assign in_reserve = own_pool_i ? '0 : in_min_i;
  dynamic_threshold #(.CellBits(CellBits)) u_limit_now (
    .pool_limit_i, .pool_used_i, .to_pool_i('0), .alpha_i, .static_i, .static_limit_i,
    .port_level_i, .port_alpha_i, .port_used_i(in_held_i), .others_i(in_held_i - shared_i),
    .reserve_i(in_reserve), .limited_i(in_limited_i && !own_pool_i), .port_limit_i(in_limit_i),
    .limit_o(limit_now));
  dynamic_threshold #(.CellBits(CellBits)) u_limit_next (
    .pool_limit_i, .pool_used_i, .to_pool_i(beyond(in_reserve, in_held_i, One)), .alpha_i,
    .static_i, .static_limit_i, .port_level_i, .port_alpha_i, .port_used_i(in_held_i),
    .others_i(in_held_i - shared_i), .reserve_i(in_reserve),
    .limited_i(in_limited_i && !own_pool_i), .port_limit_i(in_limit_i), .limit_o(limit_next));

  logic [Slices-1:0] stopped [Ports * 8];                       // XOFF, by slice
  logic [Slices-1:0] stopped_q, stopped_d;
  sum_t   held;
  limit_t floor_now, below;
  logic   may_stop, stop_rule, start_rule, stop, start;
  assign held = sum(shared_i, headroom_i);
  always_comb begin
    floor_now = limit_now[LimitBits-1] ? '0 : limit_now;
    below     = floor_now - wide({1'b0, xon_offset_i});
    if (below < wide({1'b0, xon_i})) below = wide({1'b0, xon_i});
    if (nvidia_i) begin
      stop_rule  = (headroom_i != '0 && headroom_i >= xoff_above_i)
                   || wide(held) >= floor_now + wide({1'b0, xoff_above_i});
      start_rule = headroom_i[CellBits-1:1] == '0
                   && wide(held) <= floor_now + `SLUICE_FAULT(17, 1, 0);
    end else begin
      stop_rule  = 1'b1;
      start_rule = `SLUICE_FAULT(11, headroom_i == '0, 1'b1) && wide({1'b0, shared_i}) <= below;
    end
    // A lossless group is stopped with the packet that leaves no room for a cell, and when one of
    // its packets is lost; but never an empty one, which no release would start again.
    if (drop_i != DropNone) begin
      may_stop = `SLUICE_FAULT(10, drop_i != DropQueue && total_i != '0, drop_i != DropQueue);
    end else if (to_headroom_i) begin
      may_stop = stop_rule;
    end else begin
      may_stop = !(to_min_i && min_i < pg_min_i) && stop_rule
                 && wide(sum(shared_i, `SLUICE_FAULT(6, One, '0))) > limit_next;
    end
    stop  = !release_i && lossless_i && !stopped_q[slice_i] && may_stop;
    start = release_i && stopped_q[slice_i] && start_rule;
    stopped_d = stopped_q;
    if (stop)  stopped_d[slice_i] = 1'b1;
    if (start) stopped_d[slice_i] = 1'b0;
    // Whichever slice stopped it: no release will come there.
    if (release_i && `SLUICE_FAULT(20, total_i == '0, 1'b0)) stopped_d = '0;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i)          stopped[pg_i] <= stopped_d;
    else if (map_valid_i) stopped[{map_port_i, map_class_i}] <= '0;
    stopped_q <= `SLUICE_FAULT(5, valid_i && pg_i == s2_pg_i, 1'b0) ? stopped_d : stopped[s2_pg_i];
  end
  assign xoff_o    = stop && stopped_q == '0;
  assign xon_o     = stopped_q != '0 && (stopped_d == '0 || `SLUICE_FAULT(19, 1'b0, start));
  assign stopped_o = stopped_d != '0;
endmodule : mmu_xoff
`resetall
