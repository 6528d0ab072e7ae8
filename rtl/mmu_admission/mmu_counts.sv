// SPDX-License-Identifier: Apache-2.0
// Every count of cells of mmu_admission: read in stage 2, written with what the request in stage 3
// leaves, forwarded where the next request meets the same group, queue or port. Slices and free
// cells are registers. Leaves out: what changes them (mmu_charge).
`default_nettype none
`include "sluice_fault.svh"
module mmu_counts #(
  parameter int unsigned Ports    = 512,
  parameter int unsigned CellBits = 27,
  localparam int unsigned Slices = 4,
  localparam int unsigned SliceBits = 2,
  localparam int unsigned PortBits = $clog2(Ports),
  localparam int unsigned ClassBits = PortBits + 3
) (
  input  wire logic                 clk_i,
  // Configuration empties what it describes (mmu_admission).
  input  wire logic                 chip_valid_i,
  input  wire logic [CellBits-1:0]  chip_total_i,
  input  wire logic                 slice_valid_i,
  input  wire logic [SliceBits-1:0] slice_index_i,
  input  wire logic                 map_valid_i,
  input  wire logic [SliceBits-1:0] map_slice_i,
  input  wire logic [PortBits-1:0]  map_port_i,
  input  wire logic [2:0]           map_class_i,
  // The request whose counts are read, and the one ahead of it.
  input  wire logic [SliceBits-1:0] s1_slice_i,
  input  wire logic [ClassBits-1:0] s1_pg_i,
  input  wire logic [ClassBits-1:0] s1_queue_i,
  input  wire logic                 s2_valid_i,
  input  wire logic [SliceBits-1:0] s2_slice_i,
  input  wire logic [ClassBits-1:0] s2_pg_i,
  input  wire logic [ClassBits-1:0] s2_queue_i,
  // Counts before the request in stage 3.
  output logic [CellBits-1:0]       min_o,              // of the group, in all slices
  output logic [CellBits-1:0]       total_o,
  output logic [CellBits-1:0]       shared_o,           // in the slice
  output logic [CellBits-1:0]       headroom_o,
  output logic [CellBits-1:0]       queue_min_o,
  output logic [CellBits-1:0]       queue_shared_o,
  output logic [CellBits-1:0]       in_main_o,          // of the ingress port
  output logic [CellBits-1:0]       in_lossy_o,
  output logic [CellBits-1:0]       out_o,              // of the egress port, lossy queues
  output logic [CellBits-1:0]       main_used_o,        // of the slice
  output logic [CellBits-1:0]       lossy_used_o,
  output logic [CellBits-1:0]       egress_used_o,
  output logic [CellBits-1:0]       headroom_used_o,
  output logic [CellBits-1:0]       free_o,
  // And after it.
  input  wire logic [CellBits-1:0]  min_i,
  input  wire logic [CellBits-1:0]  total_i,
  input  wire logic [CellBits-1:0]  shared_i,
  input  wire logic [CellBits-1:0]  headroom_i,
  input  wire logic [CellBits-1:0]  queue_min_i,
  input  wire logic [CellBits-1:0]  queue_shared_i,
  input  wire logic [CellBits-1:0]  in_main_i,
  input  wire logic [CellBits-1:0]  in_lossy_i,
  input  wire logic [CellBits-1:0]  out_i,
  input  wire logic [CellBits-1:0]  main_used_i,
  input  wire logic [CellBits-1:0]  lossy_used_i,
  input  wire logic [CellBits-1:0]  egress_used_i,
  input  wire logic [CellBits-1:0]  headroom_used_i,
  input  wire logic [CellBits-1:0]  free_i
);
  `SLUICE_FAULT_DECL
  localparam int unsigned Classes = Ports * 8;
  typedef logic [CellBits-1:0] count_t;

  logic [2*CellBits-1:0] pg_home [Classes];                    // minimum, all accounts
  logic [2*CellBits-1:0] pg_cells [Slices * Classes];          // shared, headroom
  logic [CellBits-1:0]   queue_home [Classes];
  logic [CellBits-1:0]   queue_cells [Slices * Classes];
  logic [2*CellBits-1:0] in_cells [Slices * Ports];            // main, lossy pool
  logic [CellBits-1:0]   out_cells [Slices * Ports];           // lossy queues

  logic same_pg, same_queue, same_slice, same_in, same_out;
  assign same_slice = s2_valid_i && s2_slice_i == s1_slice_i;
  assign same_pg    = s2_valid_i && s2_pg_i == s1_pg_i;
  assign same_queue = s2_valid_i && s2_queue_i == s1_queue_i;
  assign same_in    = same_slice && s2_pg_i[ClassBits-1:3] == s1_pg_i[ClassBits-1:3];
  assign same_out   = same_slice && s2_queue_i[ClassBits-1:3] == s1_queue_i[ClassBits-1:3];
  always_ff @(posedge clk_i) begin
    {min_o, total_o} <= `SLUICE_FAULT(3, same_pg, 1'b0) ? {min_i, total_i} : pg_home[s1_pg_i];
    {shared_o, headroom_o} <= `SLUICE_FAULT(21, same_pg && same_slice, 1'b0)
      ? {shared_i, headroom_i} : pg_cells[{s1_slice_i, s1_pg_i}];
    queue_min_o <= `SLUICE_FAULT(22, same_queue, 1'b0) ? queue_min_i : queue_home[s1_queue_i];
    queue_shared_o <= `SLUICE_FAULT(2, same_queue && same_slice, 1'b0)
      ? queue_shared_i : queue_cells[{s1_slice_i, s1_queue_i}];
    {in_main_o, in_lossy_o} <= `SLUICE_FAULT(4, same_in, 1'b0)
      ? {in_main_i, in_lossy_i} : in_cells[{s1_slice_i, s1_pg_i[ClassBits-1:3]}];
    out_o <= `SLUICE_FAULT(23, same_out, 1'b0)
      ? out_i : out_cells[{s1_slice_i, s1_queue_i[ClassBits-1:3]}];
  end
  always_ff @(posedge clk_i) begin
    if (s2_valid_i) begin
      pg_home[s2_pg_i]                                   <= {min_i, total_i};
      pg_cells[{s2_slice_i, s2_pg_i}]                    <= {shared_i, headroom_i};
      queue_home[s2_queue_i]                             <= queue_min_i;
      queue_cells[{s2_slice_i, s2_queue_i}]              <= queue_shared_i;
      in_cells[{s2_slice_i, s2_pg_i[ClassBits-1:3]}]     <= {in_main_i, in_lossy_i};
      out_cells[{s2_slice_i, s2_queue_i[ClassBits-1:3]}] <= out_i;
    end else if (map_valid_i) begin
      pg_home[{map_port_i, map_class_i}]                  <= '0;
      pg_cells[{map_slice_i, map_port_i, map_class_i}]    <= '0;
      queue_home[{map_port_i, map_class_i}]               <= '0;
      queue_cells[{map_slice_i, map_port_i, map_class_i}] <= '0;
      in_cells[{map_slice_i, map_port_i}]                 <= '0;
      out_cells[{map_slice_i, map_port_i}]                <= '0;
    end
  end

  count_t main_used_q [Slices], lossy_used_q [Slices], egress_used_q [Slices];
  count_t headroom_used_q [Slices];
  assign main_used_o     = main_used_q[s2_slice_i];
  assign lossy_used_o    = lossy_used_q[s2_slice_i];
  assign egress_used_o   = egress_used_q[s2_slice_i];
  assign headroom_used_o = headroom_used_q[s2_slice_i];
  always_ff @(posedge clk_i) begin
    if (s2_valid_i) begin
      main_used_q[s2_slice_i]     <= main_used_i;
      lossy_used_q[s2_slice_i]    <= lossy_used_i;
      egress_used_q[s2_slice_i]   <= egress_used_i;
      headroom_used_q[s2_slice_i] <= headroom_used_i;
    end else if (slice_valid_i) begin
      main_used_q[slice_index_i]     <= '0;
      lossy_used_q[slice_index_i]    <= '0;
      egress_used_q[slice_index_i]   <= '0;
      headroom_used_q[slice_index_i] <= '0;
    end
    if (chip_valid_i)    free_o <= chip_total_i;
    else if (s2_valid_i) free_o <= free_i;
  end
endmodule : mmu_counts
`resetall
