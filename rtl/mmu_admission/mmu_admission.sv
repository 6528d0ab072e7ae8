// SPDX-License-Identifier: Apache-2.0
// Admission of packets to the shared buffer of a chip (models/switch/mmu): every count of cells,
// thresholds of both policies, XOFF and XON. One request (admit or release) a clock, answered
// Latency clocks later with the counts that it leaves. Leaves out: watermarks, where cells lie.
//
//   request -> [1: profiles, slices] -> [2: limits, counts] -> [3: charge] -> [4: XOFF, XON]
//
// Stage 3 closes the loop over the counts in one clock: slices and free cells are registers there,
// the counts of a group, a queue or a port asked again in the next clock are forwarded to stage 2.
// The XOFF bits depend on counts and never the other way round, so stage 4 has a loop of its own.
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
  localparam int unsigned Slices = 4,
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
  localparam int unsigned LimitBits = CellBits + 18;            // two alphas of up to 2^8, sign
  localparam int unsigned Classes   = Ports * 8;
  localparam int unsigned ClassBits = PortBits + 3;
  localparam int unsigned PgWordBits    = 8 + 7 * CellBits;
  localparam int unsigned QueueWordBits = 7 + 2 * CellBits;
  typedef logic [CellBits-1:0]         count_t;
  typedef logic [CellBits:0]           sum_t;
  typedef logic signed [LimitBits-1:0] limit_t;

  localparam logic [CellBits-1:0] One = 1;
  localparam logic [2:0] DropNone = 3'd0, DropPg = 3'd1, DropSharedHeadroom = 3'd2,
                         DropQueue = 3'd3, DropNoCells = 3'd4;

  function automatic sum_t sum(input count_t a, input count_t b);
    sum = {1'b0, a} + {1'b0, b};
  endfunction
  function automatic limit_t wide(input sum_t cells);
    wide = $signed({{(LimitBits - CellBits - 1){1'b0}}, cells});
  endfunction
  /// Cells that a pool gains when a port that holds `held` takes `more`: those beyond its reserve.
  function automatic count_t beyond(input count_t reserve, input count_t held, input count_t more);
    if (held >= reserve)                          beyond = more;
    else if (sum(held, more) > {1'b0, reserve})   beyond = more - (reserve - held);
    else                                          beyond = '0;
  endfunction
  /// Of a group's headroom, what comes from the pool that groups share.
  function automatic count_t pool_part(input logic shared, input count_t headroom,
                                       input count_t own);
    pool_part = shared && headroom > own ? `SLUICE_FAULT(9, headroom - own, headroom) : '0;
  endfunction

  // Configuration.
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
  count_t main_limit_q [Slices], lossy_limit_q [Slices];
  count_t egress_limit_q [Slices], headroom_limit_q [Slices];
  always_ff @(posedge clk_i) begin
    if (slice_valid_i) begin
      main_limit_q[slice_index_i]     <= slice_main_i;
      lossy_limit_q[slice_index_i]    <= slice_lossy_i;
      egress_limit_q[slice_index_i]   <= slice_egress_i;
      headroom_limit_q[slice_index_i] <= slice_headroom_i;
    end
  end
  logic [PgWordBits-1:0]    pg_words [PgProfiles];
  logic [QueueWordBits-1:0] queue_words [QueueProfiles];
  always_ff @(posedge clk_i) begin
    if (pg_valid_i) begin
      pg_words[pg_profile_i] <= {pg_lossless_i, pg_own_pool_i, pg_static_i, pg_alpha_i,
        pg_static_limit_i, pg_min_i, pg_room_i, pg_private_i, pg_xon_i, pg_xon_offset_i,
        pg_xoff_above_i};
    end
    if (queue_valid_i) begin
      queue_words[queue_profile_i] <= {queue_lossless_i, queue_static_i, queue_alpha_i,
        queue_static_limit_i, queue_min_i};
    end
  end
  logic [PgProfileBits-1:0]    profile_of_pg [Classes];
  logic [QueueProfileBits-1:0] profile_of_queue [Classes];
  logic [SliceBits-1:0]        slice_of_port [Ports];
  always_ff @(posedge clk_i) begin
    if (map_valid_i) begin
      profile_of_pg[{map_port_i, map_class_i}]    <= map_pg_profile_i;
      profile_of_queue[{map_port_i, map_class_i}] <= map_queue_profile_i;
      slice_of_port[map_port_i]                   <= map_home_i;
    end
  end

  // Stage 1: which profiles, which slices.
  logic                        s1_valid_q, s1_release_q;
  logic [ClassBits-1:0]        s1_pg_q, s1_queue_q;
  logic [15:0]                 s1_cells_q;
  logic [PgProfileBits-1:0]    s1_pg_profile_q;
  logic [QueueProfileBits-1:0] s1_queue_profile_q;
  logic [SliceBits-1:0]        s1_in_slice_q, s1_out_slice_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else         s1_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    s1_release_q       <= in_release_i;
    s1_pg_q            <= {in_ingress_port_i, in_pg_i};
    s1_queue_q         <= {in_egress_port_i, in_queue_i};
    s1_cells_q         <= in_cells_i;
    s1_pg_profile_q    <= profile_of_pg[{in_ingress_port_i, in_pg_i}];
    s1_queue_profile_q <= profile_of_queue[{in_egress_port_i, in_queue_i}];
    s1_in_slice_q      <= slice_of_port[in_ingress_port_i];
    s1_out_slice_q     <= slice_of_port[in_egress_port_i];
  end

  // Stage 2: counts, from memory or from the request one clock ahead.
  logic                    s2_valid_q, s2_release_q;
  logic [ClassBits-1:0]    s2_pg_q, s2_queue_q;
  logic [SliceBits-1:0]    s2_slice_q;
  logic [15:0]             s2_cells_q;
  logic [PgWordBits-1:0]   s2_pg_word_q;
  logic [QueueWordBits-1:0] s2_queue_word_q;
  count_t s2_min_q, s2_total_q, s2_shared_q, s2_headroom_q, s2_queue_min_q, s2_queue_shared_q;
  count_t s2_in_main_q, s2_in_lossy_q, s2_out_q;
  // What the request in stage 3 leaves of them.
  count_t min_d, total_d, shared_d, headroom_d, queue_min_d, queue_shared_d;
  count_t in_main_d, in_lossy_d, out_d;

  logic [2*CellBits-1:0] pg_home [Classes];                    // minimum, all accounts
  logic [2*CellBits-1:0] pg_cells [Slices * Classes];          // shared, headroom
  logic [CellBits-1:0]   queue_home [Classes];
  logic [CellBits-1:0]   queue_cells [Slices * Classes];
  logic [2*CellBits-1:0] in_cells [Slices * Ports];            // main, lossy pool
  logic [CellBits-1:0]   out_cells [Slices * Ports];           // lossy queues
  logic [SliceBits-1:0]  s1_slice;
  logic                  same_pg, same_queue, same_slice, same_in, same_out;
  assign s1_slice   = `SLUICE_FAULT(13, by_ingress_q, 1'b1) ? s1_in_slice_q : s1_out_slice_q;
  assign same_slice = s2_valid_q && s2_slice_q == s1_slice;
  assign same_pg    = s2_valid_q && s2_pg_q == s1_pg_q;
  assign same_queue = s2_valid_q && s2_queue_q == s1_queue_q;
  assign same_in    = same_slice && s2_pg_q[ClassBits-1:3] == s1_pg_q[ClassBits-1:3];
  assign same_out   = same_slice && s2_queue_q[ClassBits-1:3] == s1_queue_q[ClassBits-1:3];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else         s2_valid_q <= s1_valid_q;
  end
  always_ff @(posedge clk_i) begin
    s2_release_q    <= s1_release_q;
    s2_pg_q         <= s1_pg_q;
    s2_queue_q      <= s1_queue_q;
    s2_slice_q      <= s1_slice;
    s2_cells_q      <= s1_cells_q;
    s2_pg_word_q    <= pg_words[s1_pg_profile_q];
    s2_queue_word_q <= queue_words[s1_queue_profile_q];
    {s2_min_q, s2_total_q} <= `SLUICE_FAULT(3, same_pg, 1'b0) ? {min_d, total_d} : pg_home[s1_pg_q];
    {s2_shared_q, s2_headroom_q} <= `SLUICE_FAULT(21, same_pg && same_slice, 1'b0)
      ? {shared_d, headroom_d} : pg_cells[{s1_slice, s1_pg_q}];
    s2_queue_min_q <= `SLUICE_FAULT(22, same_queue, 1'b0) ? queue_min_d : queue_home[s1_queue_q];
    s2_queue_shared_q <= `SLUICE_FAULT(2, same_queue && same_slice, 1'b0)
      ? queue_shared_d : queue_cells[{s1_slice, s1_queue_q}];
    {s2_in_main_q, s2_in_lossy_q} <= `SLUICE_FAULT(4, same_in, 1'b0)
      ? {in_main_d, in_lossy_d} : in_cells[{s1_slice, s1_pg_q[ClassBits-1:3]}];
    s2_out_q <= `SLUICE_FAULT(23, same_out, 1'b0)
      ? out_d : out_cells[{s1_slice, s1_queue_q[ClassBits-1:3]}];
  end

  // Stage 3: decide and charge.
  logic       lossless, own_pool, is_static, queue_lossless, queue_static;
  logic [4:0] alpha, queue_alpha;
  count_t     static_limit, pg_min, room, private_room, queue_static_limit, queue_min;
  count_t     s2_xon, s2_xon_offset, s2_xoff_above;
  assign {lossless, own_pool, is_static, alpha, static_limit, pg_min, room, private_room, s2_xon,
          s2_xon_offset, s2_xoff_above} = s2_pg_word_q;
  assign {queue_lossless, queue_static, queue_alpha, queue_static_limit, queue_min}
         = s2_queue_word_q;

  count_t main_used_q [Slices], lossy_used_q [Slices], egress_used_q [Slices];
  count_t headroom_used_q [Slices], free_q;
  count_t main_d, lossy_d, egress_d, headroom_used_d, free_d;
  count_t main_limit, lossy_limit, egress_limit, headroom_limit;
  count_t pool_limit, pool_used, in_held, reserve, part_now, headroom_after;
  count_t cells, pool_more, egress_more, shared_more, pool_less, egress_less;
  count_t headroom_less, shared_less, min_less, queue_shared_less, queue_min_less;
  limit_t pg_limit, queue_limit;
  logic   admitted, to_min, to_headroom, queue_to_min, queue_fits;
  logic [2:0] headroom_drop, drop;

  assign cells          = {{(CellBits - 16){1'b0}}, s2_cells_q};
  assign main_limit     = main_limit_q[s2_slice_q];
  assign lossy_limit    = lossy_limit_q[s2_slice_q];
  assign egress_limit   = egress_limit_q[s2_slice_q];
  assign headroom_limit = headroom_limit_q[s2_slice_q];
  assign pool_limit     = own_pool ? lossy_limit : main_limit;
  assign pool_used      = own_pool ? lossy_used_q[s2_slice_q] : main_used_q[s2_slice_q];
  assign in_held        = own_pool ? s2_in_lossy_q : s2_in_main_q;
  assign reserve        = own_pool ? '0 : in_min_q;            // a lossy pool has no port level
  assign part_now       = pool_part(shared_headroom_q, s2_headroom_q, private_room);
  assign pool_more      = beyond(reserve, in_held, cells);
  assign egress_more    = beyond(out_min_q, s2_out_q, cells);

  dynamic_threshold #(.CellBits(CellBits)) u_pg_limit (
    .pool_limit_i(pool_limit), .pool_used_i(pool_used),
    .to_pool_i(`SLUICE_FAULT(7, pool_more, '0)), .alpha_i(alpha), .static_i(is_static),
    .static_limit_i(static_limit), .port_level_i(port_level_q), .port_alpha_i(port_alpha_q),
    .port_used_i(`SLUICE_FAULT(14, in_held, s2_shared_q)), .others_i(in_held - s2_shared_q),
    .reserve_i(reserve), .limited_i(in_limited_q && `SLUICE_FAULT(24, !own_pool, 1'b1)),
    .port_limit_i(in_limit_q), .limit_o(pg_limit));
  dynamic_threshold #(.CellBits(CellBits)) u_queue_limit (
    .pool_limit_i(egress_limit), .pool_used_i(egress_used_q[s2_slice_q]), .to_pool_i(egress_more),
    .alpha_i(queue_alpha), .static_i(queue_static), .static_limit_i(queue_static_limit),
    .port_level_i(port_level_q), .port_alpha_i(port_alpha_q), .port_used_i(s2_out_q),
    .others_i(s2_out_q - s2_queue_shared_q), .reserve_i(out_min_q), .limited_i(out_limited_q),
    .port_limit_i(out_limit_q), .limit_o(queue_limit));

  always_comb begin
    to_min      = `SLUICE_FAULT(12, sum(s2_min_q, cells) <= {1'b0, pg_min},
                                    sum(s2_min_q, cells) < {1'b0, pg_min});
    to_headroom = !to_min && wide(sum(s2_shared_q, cells)) > pg_limit;

    headroom_after = s2_headroom_q + cells;
    headroom_drop  = DropNone;
    if (!lossless || sum(s2_headroom_q, cells) > {1'b0, room}) headroom_drop = DropPg;
    else if (shared_headroom_q
             && sum(headroom_used_q[s2_slice_q] - part_now,
                    pool_part(1'b1, headroom_after, private_room))
                > {1'b0, headroom_limit}) headroom_drop = DropSharedHeadroom;

    queue_to_min = sum(s2_queue_min_q, cells) <= {1'b0, queue_min};
    queue_fits   = queue_lossless ? sum(s2_queue_shared_q, cells) <= {1'b0, queue_static_limit}
                                  : wide(sum(s2_queue_shared_q, cells)) <= queue_limit;

    drop = DropNone;
    if (`SLUICE_FAULT(18, cells > free_q, cells >= free_q)) drop = DropNoCells;
    else if (`SLUICE_FAULT(15, 1'b0, !queue_to_min && !queue_fits)) drop = DropQueue;
    else if (to_headroom && headroom_drop != DropNone) drop = headroom_drop;
    else if (!queue_to_min && !queue_fits) drop = DropQueue;
    if (s2_release_q) drop = DropNone;
    admitted = !s2_release_q && drop == DropNone;
  end

  // A release gives back headroom, then shared, then the minimum.
  count_t first_held, second_held, first_less, second_less;
  always_comb begin
    {first_held, second_held} = `SLUICE_FAULT(8, {s2_headroom_q, s2_shared_q},
                                                 {s2_shared_q, s2_headroom_q});
    first_less  = cells > first_held ? first_held : cells;
    second_less = cells - first_less > second_held ? second_held : cells - first_less;
    {headroom_less, shared_less} = `SLUICE_FAULT(8, {first_less, second_less},
                                                    {second_less, first_less});
    min_less          = cells - headroom_less - shared_less;
    queue_shared_less = cells > s2_queue_shared_q ? s2_queue_shared_q : cells;
    queue_min_less    = cells - queue_shared_less;
    pool_less   = `SLUICE_FAULT(16, beyond(reserve, in_held - shared_less, shared_less),
                                    shared_less);
    egress_less = beyond(out_min_q, s2_out_q - queue_shared_less, queue_shared_less);
  end

  assign shared_more = admitted && !to_min && !to_headroom ? cells : '0;
  always_comb begin
    min_d           = s2_min_q;
    total_d         = s2_total_q;
    shared_d        = s2_shared_q + shared_more;
    headroom_d      = s2_headroom_q;
    queue_min_d     = s2_queue_min_q;
    queue_shared_d  = s2_queue_shared_q;
    in_main_d       = s2_in_main_q;
    in_lossy_d      = s2_in_lossy_q;
    out_d           = s2_out_q;
    main_d          = main_used_q[s2_slice_q];
    lossy_d         = lossy_used_q[s2_slice_q];
    egress_d        = egress_used_q[s2_slice_q];
    free_d          = free_q;
    if (admitted) begin
      free_d  = free_q - cells;
      total_d = s2_total_q + cells;
      if (to_min)           min_d      = s2_min_q + cells;
      else if (to_headroom) headroom_d = headroom_after;
      else if (own_pool) begin
        lossy_d    = lossy_d + cells;
        in_lossy_d = s2_in_lossy_q + cells;
      end else begin
        main_d    = main_d + pool_more;
        in_main_d = s2_in_main_q + cells;
      end
      if (queue_to_min) queue_min_d = s2_queue_min_q + cells;
      else begin
        queue_shared_d = s2_queue_shared_q + cells;
        if (!queue_lossless) begin
          egress_d = egress_d + egress_more;
          out_d    = s2_out_q + cells;
        end
      end
    end else if (s2_release_q) begin
      free_d         = free_q + cells;
      total_d        = s2_total_q - cells;
      min_d          = s2_min_q - min_less;
      shared_d       = s2_shared_q - shared_less;
      headroom_d     = s2_headroom_q - headroom_less;
      queue_min_d    = s2_queue_min_q - queue_min_less;
      queue_shared_d = s2_queue_shared_q - queue_shared_less;
      if (own_pool) begin
        lossy_d    = lossy_d - shared_less;
        in_lossy_d = s2_in_lossy_q - shared_less;
      end else begin
        main_d    = main_d - pool_less;
        in_main_d = s2_in_main_q - shared_less;
      end
      if (`SLUICE_FAULT(1, !queue_lossless, 1'b1)) begin
        egress_d = egress_d - egress_less;
        out_d    = s2_out_q - queue_shared_less;
      end
    end
    headroom_used_d = headroom_used_q[s2_slice_q] - part_now
                      + pool_part(shared_headroom_q, headroom_d, private_room);
  end

  always_ff @(posedge clk_i) begin
    if (s2_valid_q) begin
      pg_home[s2_pg_q]                             <= {min_d, total_d};
      pg_cells[{s2_slice_q, s2_pg_q}]              <= {shared_d, headroom_d};
      queue_home[s2_queue_q]                       <= queue_min_d;
      queue_cells[{s2_slice_q, s2_queue_q}]        <= queue_shared_d;
      in_cells[{s2_slice_q, s2_pg_q[ClassBits-1:3]}]     <= {in_main_d, in_lossy_d};
      out_cells[{s2_slice_q, s2_queue_q[ClassBits-1:3]}] <= out_d;
    end else if (map_valid_i) begin
      pg_home[{map_port_i, map_class_i}]                  <= '0;
      pg_cells[{map_slice_i, map_port_i, map_class_i}]    <= '0;
      queue_home[{map_port_i, map_class_i}]               <= '0;
      queue_cells[{map_slice_i, map_port_i, map_class_i}] <= '0;
      in_cells[{map_slice_i, map_port_i}]                 <= '0;
      out_cells[{map_slice_i, map_port_i}]                <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (s2_valid_q) begin
      main_used_q[s2_slice_q]     <= main_d;
      lossy_used_q[s2_slice_q]    <= lossy_d;
      egress_used_q[s2_slice_q]   <= egress_d;
      headroom_used_q[s2_slice_q] <= headroom_used_d;
    end else if (slice_valid_i) begin
      main_used_q[slice_index_i]     <= '0;
      lossy_used_q[slice_index_i]    <= '0;
      egress_used_q[slice_index_i]   <= '0;
      headroom_used_q[slice_index_i] <= '0;
    end
    if (chip_valid_i)    free_q <= chip_total_i;
    else if (s2_valid_q) free_q <= free_d;
  end

  // Stage 4: XOFF and XON, from the counts that the request leaves.
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
  logic [Slices-1:0] stopped [Classes];                        // XOFF, by slice
  logic [Slices-1:0] s3_stopped_q, stopped_d;
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
    {s3_xon_q, s3_xon_offset_q, s3_xoff_above_q} <= {s2_xon, s2_xon_offset, s2_xoff_above};
    {s3_min_q, s3_total_q, s3_shared_q, s3_headroom_q} <= {min_d, total_d, shared_d, headroom_d};
    {s3_queue_min_q, s3_queue_shared_q} <= {queue_min_d, queue_shared_d};
    {s3_main_q, s3_lossy_q, s3_egress_q, s3_headroom_used_q, s3_free_q}
      <= {main_d, lossy_d, egress_d, headroom_used_d, free_d};
    s3_pool_limit_q <= pool_limit;
    s3_in_held_q    <= own_pool ? in_lossy_d : in_main_d;
    s3_stopped_q <= `SLUICE_FAULT(5, s3_valid_q && s3_pg_q == s2_pg_q, 1'b0)
                    ? stopped_d : stopped[s2_pg_q];
  end

  count_t s3_pool_used, s3_reserve;
  sum_t   held;
  limit_t limit_now, limit_next, floor_now, below;
  logic   may_stop, stop_rule, start_rule, stop, start;
  assign s3_pool_used = s3_own_pool_q ? s3_lossy_q : s3_main_q;
  assign s3_reserve   = s3_own_pool_q ? '0 : in_min_q;
  assign held         = sum(s3_shared_q, s3_headroom_q);
  dynamic_threshold #(.CellBits(CellBits)) u_limit_now (
    .pool_limit_i(s3_pool_limit_q), .pool_used_i(s3_pool_used), .to_pool_i('0),
    .alpha_i(s3_alpha_q), .static_i(s3_static_q), .static_limit_i(s3_static_limit_q),
    .port_level_i(port_level_q), .port_alpha_i(port_alpha_q), .port_used_i(s3_in_held_q),
    .others_i(s3_in_held_q - s3_shared_q), .reserve_i(s3_reserve),
    .limited_i(in_limited_q && !s3_own_pool_q), .port_limit_i(in_limit_q), .limit_o(limit_now));
  dynamic_threshold #(.CellBits(CellBits)) u_limit_next (
    .pool_limit_i(s3_pool_limit_q), .pool_used_i(s3_pool_used),
    .to_pool_i(beyond(s3_reserve, s3_in_held_q, One)), .alpha_i(s3_alpha_q),
    .static_i(s3_static_q), .static_limit_i(s3_static_limit_q), .port_level_i(port_level_q),
    .port_alpha_i(port_alpha_q), .port_used_i(s3_in_held_q),
    .others_i(s3_in_held_q - s3_shared_q), .reserve_i(s3_reserve),
    .limited_i(in_limited_q && !s3_own_pool_q), .port_limit_i(in_limit_q), .limit_o(limit_next));
  always_comb begin
    floor_now = limit_now[LimitBits-1] ? '0 : limit_now;
    below     = floor_now - wide({1'b0, s3_xon_offset_q});
    if (below < wide({1'b0, s3_xon_q})) below = wide({1'b0, s3_xon_q});
    if (nvidia_q) begin
      stop_rule  = (s3_headroom_q != '0 && s3_headroom_q >= s3_xoff_above_q)
                   || wide(held) >= floor_now + wide({1'b0, s3_xoff_above_q});
      start_rule = s3_headroom_q[CellBits-1:1] == '0
                   && wide(held) <= floor_now + `SLUICE_FAULT(17, 1, 0);
    end else begin
      stop_rule  = 1'b1;
      start_rule = `SLUICE_FAULT(11, s3_headroom_q == '0, 1'b1)
                   && wide({1'b0, s3_shared_q}) <= below;
    end
    // A lossless group is stopped with the packet that leaves no room for a cell, and when one of
    // its packets is lost; but never an empty one, which no release would start again.
    if (s3_drop_q != DropNone) begin
      may_stop = `SLUICE_FAULT(10, s3_drop_q != DropQueue && s3_total_q != '0,
                                   s3_drop_q != DropQueue);
    end else if (s3_to_headroom_q) begin
      may_stop = stop_rule;
    end else begin
      may_stop = !(s3_to_min_q && s3_min_q < s3_pg_min_q) && stop_rule
                 && wide(sum(s3_shared_q, `SLUICE_FAULT(6, One, '0)))
                    > limit_next;
    end
    stop  = !s3_release_q && s3_lossless_q && !s3_stopped_q[s3_slice_q] && may_stop;
    start = s3_release_q && s3_stopped_q[s3_slice_q] && start_rule;
    stopped_d = s3_stopped_q;
    if (stop)  stopped_d[s3_slice_q] = 1'b1;
    if (start) stopped_d[s3_slice_q] = 1'b0;
    // Whichever slice stopped it: no release will come there.
    if (s3_release_q && `SLUICE_FAULT(20, s3_total_q == '0, 1'b0)) stopped_d = '0;
  end
  always_ff @(posedge clk_i) begin
    if (s3_valid_q)       stopped[s3_pg_q] <= stopped_d;
    else if (map_valid_i) stopped[{map_port_i, map_class_i}] <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s3_valid_q;
  end
  always_ff @(posedge clk_i) begin
    out_drop_o    <= s3_drop_q;
    out_xoff_o    <= stop && s3_stopped_q == '0;
    out_xon_o     <= s3_stopped_q != '0 && (stopped_d == '0 || `SLUICE_FAULT(19, 1'b0, start));
    out_pg_xoff_o <= stopped_d != '0;
    {out_pg_min_o, out_pg_shared_o, out_pg_headroom_o, out_pg_total_o}
      <= {s3_min_q, s3_shared_q, s3_headroom_q, s3_total_q};
    {out_queue_min_o, out_queue_shared_o} <= {s3_queue_min_q, s3_queue_shared_q};
    {out_main_o, out_lossy_o, out_egress_o, out_headroom_o, out_free_o}
      <= {s3_main_q, s3_lossy_q, s3_egress_q, s3_headroom_used_q, s3_free_q};
    out_slice_o   <= s3_slice_q;
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
    s2_valid_q && s2_release_q |-> min_less <= s2_min_q && queue_min_less <= s2_queue_min_q);
  a_main_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q |-> main_d <= main_limit && lossy_d <= lossy_limit);
  a_egress_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q |-> egress_d <= egress_limit);
  a_headroom_pool: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s2_valid_q |-> headroom_used_d <= headroom_limit);
  a_lossless_only: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && !s3_lossless_q |-> stopped_d == '0 && s3_headroom_q == '0);
  a_empty_runs: assert property (@(posedge clk_i) disable iff (!rst_ni)
    s3_valid_q && s3_total_q == '0 |-> stopped_d == '0);
`endif
endmodule : mmu_admission
`resetall
