// SPDX-License-Identifier: Apache-2.0
// Admission of packets to the shared buffer of a chip (models/switch/mmu): every count of cells,
// thresholds of both policies, XOFF and XON. One request (admit or release) a clock, answered
// Latency clocks later with the counts that it leaves. Leaves out: watermarks, where cells lie.
//
//   request -> [1, 2: mmu_profiles, mmu_counts] -> [3: mmu_decision, mmu_charge] -> [4: mmu_xoff]
//
// Stage 3 closes the loop over the counts in one clock. Thresholds: rtl/prim/dynamic_threshold.sv.
`default_nettype none
`include "sluice_fault.svh"
module mmu_admission #(
  /// Ports of the chip, 2 to 512; each has 8 priority groups (PG) and 8 queues.
  parameter int unsigned Ports         /*verilator public*/ = 512,
  /// Kinds of PGs, 2 to 256.
  parameter int unsigned PgProfiles    /*verilator public*/ = 64,
  /// Kinds of queues, 2 to 256.
  parameter int unsigned QueueProfiles /*verilator public*/ = 64,
  /// Width of a count of cells, 17 to 32.
  parameter int unsigned CellBits      /*verilator public*/ = 27,
  /// Clocks from request to response.
  localparam int unsigned Latency = 4,
  localparam int unsigned SliceBits = 2,
  localparam int unsigned PortBits = $clog2(Ports),
  localparam int unsigned PgProfileBits = $clog2(PgProfiles),
  localparam int unsigned QueueProfileBits = $clog2(QueueProfiles)
) (
  input  wire logic                        clk_i,
  input  wire logic                        rst_ni,
  // Configuration, at rest; writing it empties what it describes. Limits are cells, alphas the n of
  // 2^n.
  input  wire logic                        chip_valid_i,
  input  wire logic                        chip_nvidia_i,
  input  wire logic                        chip_by_ingress_i,
  input  wire logic                        chip_shared_headroom_i,
  input  wire logic                        chip_port_level_i,
  input  wire logic [4:0]                  chip_port_alpha_i,
  input  wire logic [CellBits-1:0]         chip_total_i,
  input  wire logic [CellBits-1:0]         chip_in_min_i,       // ingress ports, main pool
  input  wire logic                        chip_in_limited_i,
  input  wire logic [CellBits-1:0]         chip_in_limit_i,
  input  wire logic [CellBits-1:0]         chip_out_min_i,      // egress ports, lossy queues
  input  wire logic                        chip_out_limited_i,
  input  wire logic [CellBits-1:0]         chip_out_limit_i,
  input  wire logic                        slice_valid_i,
  input  wire logic [SliceBits-1:0]        slice_index_i,
  input  wire logic [CellBits-1:0]         slice_main_i,
  input  wire logic [CellBits-1:0]         slice_lossy_i,
  input  wire logic [CellBits-1:0]         slice_egress_i,
  input  wire logic [CellBits-1:0]         slice_headroom_i,
  input  wire logic                        pg_valid_i,
  input  wire logic [PgProfileBits-1:0]    pg_profile_i,
  input  wire logic                        pg_lossless_i,
  input  wire logic                        pg_own_pool_i,       // in the lossy ingress pool
  input  wire logic                        pg_static_i,
  input  wire logic [4:0]                  pg_alpha_i,
  input  wire logic [CellBits-1:0]         pg_static_limit_i,
  input  wire logic [CellBits-1:0]         pg_min_i,
  input  wire logic [CellBits-1:0]         pg_room_i,           // headroom, of which
  input  wire logic [CellBits-1:0]         pg_private_i,        // not from the shared pool
  input  wire logic [CellBits-1:0]         pg_xon_i,
  input  wire logic [CellBits-1:0]         pg_xon_offset_i,
  input  wire logic [CellBits-1:0]         pg_xoff_above_i,
  input  wire logic                        queue_valid_i,
  input  wire logic [QueueProfileBits-1:0] queue_profile_i,
  input  wire logic                        queue_lossless_i,
  input  wire logic                        queue_static_i,
  input  wire logic [4:0]                  queue_alpha_i,
  input  wire logic [CellBits-1:0]         queue_static_limit_i,
  input  wire logic [CellBits-1:0]         queue_min_i,
  input  wire logic                        map_valid_i,         // PG and queue `class` of a port
  input  wire logic [SliceBits-1:0]        map_slice_i,         // whose counts are emptied
  input  wire logic [PortBits-1:0]         map_port_i,
  input  wire logic [2:0]                  map_class_i,
  input  wire logic [SliceBits-1:0]        map_home_i,          // slice of the port
  input  wire logic [PgProfileBits-1:0]    map_pg_profile_i,
  input  wire logic [QueueProfileBits-1:0] map_queue_profile_i,
  // Request.
  input  wire logic                        in_valid_i,
  input  wire logic                        in_release_i,
  input  wire logic [PortBits-1:0]         in_ingress_port_i,
  input  wire logic [2:0]                  in_pg_i,
  input  wire logic [PortBits-1:0]         in_egress_port_i,
  input  wire logic [2:0]                  in_queue_i,
  input  wire logic [15:0]                 in_cells_i,
  // Response: the decision, then what it leaves.
  output logic                             out_valid_o,
  output logic [2:0]                       out_drop_o,
  output logic                             out_xoff_o,
  output logic                             out_xon_o,
  output logic                             out_pg_xoff_o,       // in any slice
  output logic [CellBits-1:0]              out_pg_min_o,
  output logic [CellBits-1:0]              out_pg_shared_o,     // in the slice
  output logic [CellBits-1:0]              out_pg_headroom_o,
  output logic [CellBits-1:0]              out_pg_total_o,      // in all slices
  output logic [CellBits-1:0]              out_queue_min_o,
  output logic [CellBits-1:0]              out_queue_shared_o,
  output logic [SliceBits-1:0]             out_slice_o,
  output logic [CellBits-1:0]              out_main_o,
  output logic [CellBits-1:0]              out_lossy_o,
  output logic [CellBits-1:0]              out_egress_o,
  output logic [CellBits-1:0]              out_headroom_o,
  output logic [CellBits-1:0]              out_free_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned ClassBits = PortBits + 3;
  typedef logic [CellBits-1:0] count_t;

  // Configuration of the chip.
  logic       nvidia_q, by_ingress_q, shared_headroom_q, port_level_q, in_limited_q, out_limited_q;
  logic [4:0] port_alpha_q;
  count_t     in_min_q, in_limit_q, out_min_q, out_limit_q;
  always_ff @(posedge clk_i) begin
    if (chip_valid_i) begin
      {nvidia_q, by_ingress_q, shared_headroom_q} <= {chip_nvidia_i, chip_by_ingress_i,
                                                      chip_shared_headroom_i};
      {port_level_q, port_alpha_q}            <= {chip_port_level_i, chip_port_alpha_i};
      {in_min_q, in_limited_q, in_limit_q}    <= {chip_in_min_i, chip_in_limited_i,
                                                  chip_in_limit_i};
      {out_min_q, out_limited_q, out_limit_q} <= {chip_out_min_i, chip_out_limited_i,
                                                  chip_out_limit_i};
    end
  end

  // Stages 1 and 2: the request.
  logic                 s1_valid_q, s1_release_q, s2_valid_q, s2_release_q;
  logic [ClassBits-1:0] s1_pg_q, s1_queue_q, s2_pg_q, s2_queue_q;
  logic [15:0]          s1_cells_q, s2_cells_q;
  logic [SliceBits-1:0] s1_in_slice, s1_out_slice, s1_slice, s2_slice_q;
  assign s1_slice = `SLUICE_FAULT(13, by_ingress_q, 1'b1) ? s1_in_slice : s1_out_slice;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {s1_valid_q, s2_valid_q} <= '0;
    else         {s1_valid_q, s2_valid_q} <= {in_valid_i, s1_valid_q};
  end
  always_ff @(posedge clk_i) begin
    s1_release_q <= in_release_i;
    s1_pg_q      <= {in_ingress_port_i, in_pg_i};
    s1_queue_q   <= {in_egress_port_i, in_queue_i};
    s1_cells_q   <= in_cells_i;
    s2_release_q <= s1_release_q;
    s2_pg_q      <= s1_pg_q;
    s2_queue_q   <= s1_queue_q;
    s2_cells_q   <= s1_cells_q;
    s2_slice_q   <= s1_slice;
  end

  logic       lossless, own_pool, is_static, queue_lossless, queue_static;
  logic [4:0] alpha, queue_alpha;
  count_t     static_limit, pg_min, room, private_room, xon, xon_offset, xoff_above;
  count_t     queue_static_limit, queue_minimum;
  count_t     main_limit, lossy_limit, egress_limit, headroom_limit;
  mmu_profiles #(.Ports(Ports), .PgProfiles(PgProfiles), .QueueProfiles(QueueProfiles),
                 .CellBits(CellBits)) u_profiles (
    .clk_i, .slice_valid_i, .slice_index_i, .slice_main_i, .slice_lossy_i, .slice_egress_i,
    .slice_headroom_i, .pg_valid_i, .pg_profile_i, .pg_lossless_i, .pg_own_pool_i, .pg_static_i,
    .pg_alpha_i, .pg_static_limit_i, .pg_min_i, .pg_room_i, .pg_private_i, .pg_xon_i,
    .pg_xon_offset_i, .pg_xoff_above_i, .queue_valid_i, .queue_profile_i, .queue_lossless_i,
    .queue_static_i, .queue_alpha_i, .queue_static_limit_i, .queue_min_i, .map_valid_i, .map_port_i,
    .map_class_i, .map_home_i, .map_pg_profile_i, .map_queue_profile_i,
    .in_pg_i({in_ingress_port_i, in_pg_i}), .in_queue_i({in_egress_port_i, in_queue_i}),
    .s1_in_slice_o(s1_in_slice), .s1_out_slice_o(s1_out_slice),
    .s2_lossless_o(lossless), .s2_own_pool_o(own_pool), .s2_static_o(is_static), .s2_alpha_o(alpha),
    .s2_static_limit_o(static_limit), .s2_pg_min_o(pg_min), .s2_room_o(room),
    .s2_private_o(private_room), .s2_xon_o(xon), .s2_xon_offset_o(xon_offset),
    .s2_xoff_above_o(xoff_above), .s2_queue_lossless_o(queue_lossless),
    .s2_queue_static_o(queue_static), .s2_queue_alpha_o(queue_alpha),
    .s2_queue_static_limit_o(queue_static_limit), .s2_queue_minimum_o(queue_minimum),
    .s2_slice_i(s2_slice_q), .main_limit_o(main_limit), .lossy_limit_o(lossy_limit),
    .egress_limit_o(egress_limit), .headroom_limit_o(headroom_limit));

  // Stage 3: counts before the request and after it (_d).
  count_t min, total, shared, headroom, queue_min, queue_shared, in_main, in_lossy, out;
  count_t main_used, lossy_used, egress_used, headroom_used, free;
  count_t min_d, total_d, shared_d, headroom_d, queue_min_d, queue_shared_d, in_main_d, in_lossy_d;
  count_t out_d, main_used_d, lossy_used_d, egress_used_d, headroom_used_d, free_d;
  mmu_counts #(.Ports(Ports), .CellBits(CellBits)) u_counts (
    .clk_i, .chip_valid_i, .chip_total_i, .slice_valid_i, .slice_index_i, .map_valid_i,
    .map_slice_i, .map_port_i, .map_class_i,
    .s1_slice_i(s1_slice), .s1_pg_i(s1_pg_q), .s1_queue_i(s1_queue_q),
    .s2_valid_i(s2_valid_q), .s2_slice_i(s2_slice_q), .s2_pg_i(s2_pg_q), .s2_queue_i(s2_queue_q),
    .min_o(min), .total_o(total), .shared_o(shared), .headroom_o(headroom),
    .queue_min_o(queue_min), .queue_shared_o(queue_shared), .in_main_o(in_main),
    .in_lossy_o(in_lossy), .out_o(out), .main_used_o(main_used), .lossy_used_o(lossy_used),
    .egress_used_o(egress_used), .headroom_used_o(headroom_used), .free_o(free),
    .min_i(min_d), .total_i(total_d), .shared_i(shared_d), .headroom_i(headroom_d),
    .queue_min_i(queue_min_d), .queue_shared_i(queue_shared_d), .in_main_i(in_main_d),
    .in_lossy_i(in_lossy_d), .out_i(out_d), .main_used_i(main_used_d), .lossy_used_i(lossy_used_d),
    .egress_used_i(egress_used_d), .headroom_used_i(headroom_used_d), .free_i(free_d));

  count_t     cells, pool_limit, pool_used, in_held, in_reserve, pool_more, egress_more, part_now;
  logic [2:0] drop;
  logic       admitted, to_min, to_headroom, queue_to_min;
  assign cells      = {{(CellBits - 16){1'b0}}, s2_cells_q};
  assign pool_limit = own_pool ? lossy_limit : main_limit;
  assign pool_used  = own_pool ? lossy_used : main_used;
  assign in_held    = own_pool ? in_lossy : in_main;
  assign in_reserve = own_pool ? '0 : in_min_q;                // a lossy pool has no port level
  mmu_decision #(.CellBits(CellBits)) u_decision (
    .release_i(s2_release_q), .cells_i(cells), .shared_headroom_i(shared_headroom_q),
    .port_level_i(port_level_q), .port_alpha_i(port_alpha_q), .in_limited_i(in_limited_q),
    .in_limit_i(in_limit_q), .out_reserve_i(out_min_q), .out_limited_i(out_limited_q),
    .out_limit_i(out_limit_q), .lossless_i(lossless), .own_pool_i(own_pool), .static_i(is_static),
    .alpha_i(alpha), .static_limit_i(static_limit), .pg_min_i(pg_min), .room_i(room),
    .private_i(private_room), .queue_lossless_i(queue_lossless), .queue_static_i(queue_static),
    .queue_alpha_i(queue_alpha), .queue_static_limit_i(queue_static_limit),
    .queue_minimum_i(queue_minimum), .pool_limit_i(pool_limit), .pool_used_i(pool_used),
    .egress_limit_i(egress_limit), .egress_used_i(egress_used), .headroom_limit_i(headroom_limit),
    .headroom_used_i(headroom_used), .free_i(free), .min_i(min), .shared_i(shared),
    .headroom_i(headroom), .queue_min_i(queue_min), .queue_shared_i(queue_shared),
    .in_held_i(in_held), .in_reserve_i(in_reserve), .out_held_i(out),
    .drop_o(drop), .admitted_o(admitted), .to_min_o(to_min), .to_headroom_o(to_headroom),
    .queue_to_min_o(queue_to_min), .pool_more_o(pool_more), .egress_more_o(egress_more),
    .part_now_o(part_now));
  mmu_charge #(.CellBits(CellBits)) u_charge (
    .release_i(s2_release_q), .cells_i(cells), .admitted_i(admitted), .to_min_i(to_min),
    .to_headroom_i(to_headroom), .queue_to_min_i(queue_to_min), .pool_more_i(pool_more),
    .egress_more_i(egress_more), .part_now_i(part_now), .shared_headroom_i(shared_headroom_q),
    .own_pool_i(own_pool), .private_i(private_room), .queue_lossless_i(queue_lossless),
    .in_held_i(in_held), .in_reserve_i(in_reserve), .out_reserve_i(out_min_q),
    .min_i(min), .total_i(total), .shared_i(shared), .headroom_i(headroom),
    .queue_min_i(queue_min), .queue_shared_i(queue_shared), .in_main_i(in_main),
    .in_lossy_i(in_lossy), .out_i(out), .main_used_i(main_used), .lossy_used_i(lossy_used),
    .egress_used_i(egress_used), .headroom_used_i(headroom_used), .free_i(free),
    .min_o(min_d), .total_o(total_d), .shared_o(shared_d), .headroom_o(headroom_d),
    .queue_min_o(queue_min_d), .queue_shared_o(queue_shared_d), .in_main_o(in_main_d),
    .in_lossy_o(in_lossy_d), .out_o(out_d), .main_used_o(main_used_d), .lossy_used_o(lossy_used_d),
    .egress_used_o(egress_used_d), .headroom_used_o(headroom_used_d), .free_o(free_d));

  // Stage 4: what the request leaves.
  logic                 s3_valid_q, s3_release_q, s3_to_min_q, s3_to_headroom_q;
  logic                 s3_lossless_q, s3_own_pool_q, s3_static_q;
  logic [4:0]           s3_alpha_q;
  logic [ClassBits-1:0] s3_pg_q;
  logic [SliceBits-1:0] s3_slice_q;
  logic [2:0]           s3_drop_q;
  count_t s3_static_limit_q, s3_pg_min_q, s3_xon_q, s3_xon_offset_q, s3_xoff_above_q;
  count_t s3_min_q, s3_total_q, s3_shared_q, s3_headroom_q, s3_queue_min_q, s3_queue_shared_q;
  count_t s3_main_q, s3_lossy_q, s3_egress_q, s3_headroom_used_q, s3_free_q;
  count_t s3_pool_limit_q, s3_in_held_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s3_valid_q <= 1'b0;
    else         s3_valid_q <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    {s3_release_q, s3_pg_q, s3_slice_q} <= {s2_release_q, s2_pg_q, s2_slice_q};
    {s3_drop_q, s3_to_min_q, s3_to_headroom_q} <= {drop, to_min, to_headroom};
    {s3_lossless_q, s3_own_pool_q, s3_static_q, s3_alpha_q}
      <= {lossless, own_pool, is_static, alpha};
    {s3_static_limit_q, s3_pg_min_q}    <= {static_limit, pg_min};
    {s3_xon_q, s3_xon_offset_q, s3_xoff_above_q} <= {xon, xon_offset, xoff_above};
    {s3_min_q, s3_total_q, s3_shared_q, s3_headroom_q} <= {min_d, total_d, shared_d, headroom_d};
    {s3_queue_min_q, s3_queue_shared_q} <= {queue_min_d, queue_shared_d};
    {s3_main_q, s3_lossy_q, s3_egress_q, s3_headroom_used_q, s3_free_q}
      <= {main_used_d, lossy_used_d, egress_used_d, headroom_used_d, free_d};
    s3_pool_limit_q <= pool_limit;
    s3_in_held_q    <= own_pool ? in_lossy_d : in_main_d;
  end

  logic xoff_now, xon_now, stopped_now;
  mmu_xoff #(.Ports(Ports), .CellBits(CellBits)) u_xoff (
    .clk_i, .map_valid_i, .map_port_i, .map_class_i, .s2_pg_i(s2_pg_q),
    .valid_i(s3_valid_q), .release_i(s3_release_q), .pg_i(s3_pg_q), .slice_i(s3_slice_q),
    .drop_i(s3_drop_q), .to_min_i(s3_to_min_q), .to_headroom_i(s3_to_headroom_q),
    .nvidia_i(nvidia_q), .port_level_i(port_level_q), .port_alpha_i(port_alpha_q),
    .in_min_i(in_min_q), .in_limited_i(in_limited_q), .in_limit_i(in_limit_q),
    .lossless_i(s3_lossless_q), .own_pool_i(s3_own_pool_q), .static_i(s3_static_q),
    .alpha_i(s3_alpha_q), .static_limit_i(s3_static_limit_q), .pg_min_i(s3_pg_min_q),
    .xon_i(s3_xon_q), .xon_offset_i(s3_xon_offset_q), .xoff_above_i(s3_xoff_above_q),
    .min_i(s3_min_q), .total_i(s3_total_q), .shared_i(s3_shared_q), .headroom_i(s3_headroom_q),
    .pool_limit_i(s3_pool_limit_q), .pool_used_i(s3_own_pool_q ? s3_lossy_q : s3_main_q),
    .in_held_i(s3_in_held_q), .xoff_o(xoff_now), .xon_o(xon_now), .stopped_o(stopped_now));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s3_valid_q;
  end
  always_ff @(posedge clk_i) begin
    out_drop_o <= s3_drop_q;
    {out_xoff_o, out_xon_o, out_pg_xoff_o} <= {xoff_now, xon_now, stopped_now};
    {out_pg_min_o, out_pg_shared_o, out_pg_headroom_o, out_pg_total_o}
      <= {s3_min_q, s3_shared_q, s3_headroom_q, s3_total_q};
    {out_queue_min_o, out_queue_shared_o} <= {s3_queue_min_q, s3_queue_shared_q};
    {out_main_o, out_lossy_o, out_egress_o, out_headroom_o, out_free_o}
      <= {s3_main_q, s3_lossy_q, s3_egress_q, s3_headroom_used_q, s3_free_q};
    out_slice_o <= s3_slice_q;
  end

  if (Ports < 2 || Ports > 512) begin : g_chk_ports
    $error("Ports must be 2 to 512");
  end
  if (PgProfiles < 2 || PgProfiles > 256 || QueueProfiles < 2 || QueueProfiles > 256)
  begin : g_chk_profiles
    $error("PgProfiles and QueueProfiles must be 2 to 256");
  end
  if (CellBits < 17 || CellBits > 32) begin : g_chk_cell_bits
    $error("CellBits must be 17 to 32");
  end
`ifndef SYNTHESIS
  logic configured_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) configured_q <= 1'b0;
    else if (chip_valid_i) configured_q <= 1'b1;
  end
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i || s1_valid_q || s2_valid_q || s3_valid_q
    |-> !chip_valid_i && !slice_valid_i && !pg_valid_i && !queue_valid_i && !map_valid_i);
  a_configured: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> configured_q);
  a_cells: assert property (@(posedge clk_i) disable iff (!rst_ni) in_valid_i |-> in_cells_i != '0);
  a_lossy_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    pg_valid_i |-> !(pg_lossless_i && pg_own_pool_i));
  a_release_held: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q && s2_release_q |-> min_d <= min && queue_min_d <= queue_min);
  a_main_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q |-> main_used_d <= main_limit && lossy_used_d <= lossy_limit);
  a_egress_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q |-> egress_used_d <= egress_limit);
  a_headroom_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q |-> headroom_used_d <= headroom_limit);
  a_lossless_only: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && !s3_lossless_q |-> !stopped_now && s3_headroom_q == '0);
  a_empty_runs: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && s3_total_q == '0 |-> !stopped_now);
`endif
endmodule : mmu_admission
`resetall
