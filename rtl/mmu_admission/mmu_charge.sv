// SPDX-License-Identifier: Apache-2.0
// What an admission takes and a release gives back, combinational: from the counts of
// mmu_admission before a request those after it. Leaves out: whether it is admitted (mmu_decision).
`default_nettype none
`include "sluice_fault.svh"
module mmu_charge #(
  parameter int unsigned CellBits = 27
) (
  // Request and decision.
  input  wire logic                release_i,
  input  wire logic [CellBits-1:0] cells_i,
  input  wire logic                admitted_i,
  input  wire logic                to_min_i,
  input  wire logic                to_headroom_i,
  input  wire logic                queue_to_min_i,
  input  wire logic [CellBits-1:0] pool_more_i,
  input  wire logic [CellBits-1:0] egress_more_i,
  input  wire logic [CellBits-1:0] part_now_i,
  // Configuration.
  input  wire logic                shared_headroom_i,
  input  wire logic                own_pool_i,
  input  wire logic [CellBits-1:0] private_i,
  input  wire logic                queue_lossless_i,
  input  wire logic [CellBits-1:0] in_held_i,
  input  wire logic [CellBits-1:0] in_reserve_i,
  input  wire logic [CellBits-1:0] out_reserve_i,
  // Counts before.
  input  wire logic [CellBits-1:0] min_i,
  input  wire logic [CellBits-1:0] total_i,
  input  wire logic [CellBits-1:0] shared_i,
  input  wire logic [CellBits-1:0] headroom_i,
  input  wire logic [CellBits-1:0] queue_min_i,
  input  wire logic [CellBits-1:0] queue_shared_i,
  input  wire logic [CellBits-1:0] in_main_i,
  input  wire logic [CellBits-1:0] in_lossy_i,
  input  wire logic [CellBits-1:0] out_i,
  input  wire logic [CellBits-1:0] main_used_i,
  input  wire logic [CellBits-1:0] lossy_used_i,
  input  wire logic [CellBits-1:0] egress_used_i,
  input  wire logic [CellBits-1:0] headroom_used_i,
  input  wire logic [CellBits-1:0] free_i,
  // Counts after.
  output logic [CellBits-1:0]      min_o,
  output logic [CellBits-1:0]      total_o,
  output logic [CellBits-1:0]      shared_o,
  output logic [CellBits-1:0]      headroom_o,
  output logic [CellBits-1:0]      queue_min_o,
  output logic [CellBits-1:0]      queue_shared_o,
  output logic [CellBits-1:0]      in_main_o,
  output logic [CellBits-1:0]      in_lossy_o,
  output logic [CellBits-1:0]      out_o,
  output logic [CellBits-1:0]      main_used_o,
  output logic [CellBits-1:0]      lossy_used_o,
  output logic [CellBits-1:0]      egress_used_o,
  output logic [CellBits-1:0]      headroom_used_o,
  output logic [CellBits-1:0]      free_o
);
  `SLUICE_FAULT_DECL
  `include "mmu_cells.svh"

  // A release gives back headroom, then shared, then the minimum.
  count_t first_held, second_held, first_less, second_less, pool_less, egress_less;
  count_t headroom_less, shared_less, min_less, queue_shared_less, queue_min_less;
  always_comb begin
    {first_held, second_held} = `SLUICE_FAULT(8, {headroom_i, shared_i}, {shared_i, headroom_i});
    first_less  = cells_i > first_held ? first_held : cells_i;
    second_less = cells_i - first_less > second_held ? second_held : cells_i - first_less;
    {headroom_less, shared_less} = `SLUICE_FAULT(8, {first_less, second_less},
                                                    {second_less, first_less});
    min_less          = cells_i - headroom_less - shared_less;
    queue_shared_less = cells_i > queue_shared_i ? queue_shared_i : cells_i;
    queue_min_less    = cells_i - queue_shared_less;
    pool_less   = `SLUICE_FAULT(16, beyond(in_reserve_i, in_held_i - shared_less, shared_less),
                                    shared_less);
    egress_less = beyond(out_reserve_i, out_i - queue_shared_less, queue_shared_less);
  end

  always_comb begin
    min_o          = min_i;
    total_o        = total_i;
    shared_o       = shared_i;
    headroom_o     = headroom_i;
    queue_min_o    = queue_min_i;
    queue_shared_o = queue_shared_i;
    in_main_o      = in_main_i;
    in_lossy_o     = in_lossy_i;
    out_o          = out_i;
    main_used_o    = main_used_i;
    lossy_used_o   = lossy_used_i;
    egress_used_o  = egress_used_i;
    free_o         = free_i;
    if (admitted_i) begin
      free_o  = free_i - cells_i;
      total_o = total_i + cells_i;
      if (to_min_i)           min_o      = min_i + cells_i;
      else if (to_headroom_i) headroom_o = headroom_i + cells_i;
      else begin
        shared_o = shared_i + cells_i;
        if (own_pool_i) begin
          lossy_used_o = lossy_used_i + cells_i;
          in_lossy_o   = in_lossy_i + cells_i;
        end else begin
          main_used_o = main_used_i + pool_more_i;
          in_main_o   = in_main_i + cells_i;
        end
      end
      if (queue_to_min_i) queue_min_o = queue_min_i + cells_i;
      else begin
        queue_shared_o = queue_shared_i + cells_i;
        if (!queue_lossless_i) begin
          egress_used_o = egress_used_i + egress_more_i;
          out_o         = out_i + cells_i;
        end
      end
    end else if (release_i) begin
      free_o         = free_i + cells_i;
      total_o        = total_i - cells_i;
      min_o          = min_i - min_less;
      shared_o       = shared_i - shared_less;
      headroom_o     = headroom_i - headroom_less;
      queue_min_o    = queue_min_i - queue_min_less;
      queue_shared_o = queue_shared_i - queue_shared_less;
      if (own_pool_i) begin
        lossy_used_o = lossy_used_i - shared_less;
        in_lossy_o   = in_lossy_i - shared_less;
      end else begin
        main_used_o = main_used_i - pool_less;
        in_main_o   = in_main_i - shared_less;
      end
      if (`SLUICE_FAULT(1, !queue_lossless_i, 1'b1)) begin
        egress_used_o = egress_used_i - egress_less;
        out_o         = out_i - queue_shared_less;
      end
    end
    headroom_used_o = headroom_used_i - part_now_i
                      + pool_part(shared_headroom_i, headroom_o, private_i);
  end
endmodule : mmu_charge
`resetall
