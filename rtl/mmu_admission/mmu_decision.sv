// SPDX-License-Identifier: Apache-2.0
// Decision of mmu_admission, combinational: is there room for the packet, and on which account of
// its group and of its queue. Leaves out: what that does to the counts (mmu_charge).
`default_nettype none
`include "sluice_fault.svh"
module mmu_decision #(
  parameter int unsigned CellBits = 27
) (
  // Request.
  input  wire logic                release_i,
  input  wire logic [CellBits-1:0] cells_i,
  // Chip.
  input  wire logic                shared_headroom_i,
  input  wire logic                port_level_i,
  input  wire logic [4:0]          port_alpha_i,
  input  wire logic                in_limited_i,
  input  wire logic [CellBits-1:0] in_limit_i,
  input  wire logic [CellBits-1:0] out_reserve_i,
  input  wire logic                out_limited_i,
  input  wire logic [CellBits-1:0] out_limit_i,
  // Profiles of the group and of the queue.
  input  wire logic                lossless_i,
  input  wire logic                own_pool_i,
  input  wire logic                static_i,
  input  wire logic [4:0]          alpha_i,
  input  wire logic [CellBits-1:0] static_limit_i,
  input  wire logic [CellBits-1:0] pg_min_i,
  input  wire logic [CellBits-1:0] room_i,
  input  wire logic [CellBits-1:0] private_i,
  input  wire logic                queue_lossless_i,
  input  wire logic                queue_static_i,
  input  wire logic [4:0]          queue_alpha_i,
  input  wire logic [CellBits-1:0] queue_static_limit_i,
  input  wire logic [CellBits-1:0] queue_minimum_i,
  // Pools of the slice; the group's is the main or the lossy one.
  input  wire logic [CellBits-1:0] pool_limit_i,
  input  wire logic [CellBits-1:0] pool_used_i,
  input  wire logic [CellBits-1:0] egress_limit_i,
  input  wire logic [CellBits-1:0] egress_used_i,
  input  wire logic [CellBits-1:0] headroom_limit_i,
  input  wire logic [CellBits-1:0] headroom_used_i,
  input  wire logic [CellBits-1:0] free_i,
  // Counts.
  input  wire logic [CellBits-1:0] min_i,
  input  wire logic [CellBits-1:0] shared_i,
  input  wire logic [CellBits-1:0] headroom_i,
  input  wire logic [CellBits-1:0] queue_min_i,
  input  wire logic [CellBits-1:0] queue_shared_i,
  input  wire logic [CellBits-1:0] in_held_i,           // by the ingress port, in the group's pool
  input  wire logic [CellBits-1:0] in_reserve_i,
  input  wire logic [CellBits-1:0] out_held_i,
  // Decision.
  output logic [2:0]               drop_o,
  output logic                     admitted_o,
  output logic                     to_min_o,            // account of the group;
  output logic                     to_headroom_o,       // neither: shared
  output logic                     queue_to_min_o,      // account of the queue
  output logic [CellBits-1:0]      pool_more_o,         // what the pools gain with it
  output logic [CellBits-1:0]      egress_more_o,
  output logic [CellBits-1:0]      part_now_o           // of the headroom pool, before it
);
  `SLUICE_FAULT_DECL
  `include "mmu_cells.svh"
  localparam logic [2:0] DropNone = 3'd0, DropPg = 3'd1, DropSharedHeadroom = 3'd2,
                         DropQueue = 3'd3, DropNoCells = 3'd4;

  limit_t pg_limit, queue_limit;
  assign part_now_o    = pool_part(shared_headroom_i, headroom_i, private_i);
  assign pool_more_o   = beyond(in_reserve_i, in_held_i, cells_i);
  assign egress_more_o = beyond(out_reserve_i, out_held_i, cells_i);
  dynamic_threshold #(.CellBits(CellBits)) u_pg_limit (
    .pool_limit_i, .pool_used_i, .to_pool_i(`SLUICE_FAULT(7, pool_more_o, '0)), .alpha_i, .static_i,
    .static_limit_i, .port_level_i, .port_alpha_i,
    .port_used_i(`SLUICE_FAULT(14, in_held_i, shared_i)), .others_i(in_held_i - shared_i),
    .reserve_i(in_reserve_i), .limited_i(in_limited_i && `SLUICE_FAULT(24, !own_pool_i, 1'b1)),
    .port_limit_i(in_limit_i), .limit_o(pg_limit));
  dynamic_threshold #(.CellBits(CellBits)) u_queue_limit (
    .pool_limit_i(egress_limit_i), .pool_used_i(egress_used_i), .to_pool_i(egress_more_o),
    .alpha_i(queue_alpha_i), .static_i(queue_static_i), .static_limit_i(queue_static_limit_i),
    .port_level_i, .port_alpha_i, .port_used_i(out_held_i),
    .others_i(out_held_i - queue_shared_i), .reserve_i(out_reserve_i), .limited_i(out_limited_i),
    .port_limit_i(out_limit_i), .limit_o(queue_limit));

  count_t     headroom_after;
  logic [2:0] headroom_drop;
  logic       queue_fits;
  always_comb begin
    to_min_o      = `SLUICE_FAULT(12, sum(min_i, cells_i) <= {1'b0, pg_min_i},
                                      sum(min_i, cells_i) < {1'b0, pg_min_i});
    to_headroom_o = !to_min_o && wide(sum(shared_i, cells_i)) > pg_limit;

    headroom_after = headroom_i + cells_i;
    headroom_drop  = DropNone;
    if (!lossless_i || sum(headroom_i, cells_i) > {1'b0, room_i}) headroom_drop = DropPg;
    else if (shared_headroom_i
             && sum(headroom_used_i - part_now_o, pool_part(1'b1, headroom_after, private_i))
                > {1'b0, headroom_limit_i}) headroom_drop = DropSharedHeadroom;

    queue_to_min_o = sum(queue_min_i, cells_i) <= {1'b0, queue_minimum_i};
    queue_fits     = queue_lossless_i ? sum(queue_shared_i, cells_i) <= {1'b0, queue_static_limit_i}
                                      : wide(sum(queue_shared_i, cells_i)) <= queue_limit;

    drop_o = DropNone;
    if (`SLUICE_FAULT(18, cells_i > free_i, cells_i >= free_i)) drop_o = DropNoCells;
    else if (`SLUICE_FAULT(15, 1'b0, !queue_to_min_o && !queue_fits)) drop_o = DropQueue;
    else if (to_headroom_o && headroom_drop != DropNone) drop_o = headroom_drop;
    else if (!queue_to_min_o && !queue_fits) drop_o = DropQueue;
    if (release_i) drop_o = DropNone;
    admitted_o = !release_i && drop_o == DropNone;
  end
endmodule : mmu_decision
`resetall
