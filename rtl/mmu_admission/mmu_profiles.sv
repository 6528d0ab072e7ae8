// SPDX-License-Identifier: Apache-2.0
// Tables of mmu_admission: what kinds of priority groups and queues there are, which of them and
// which slice a port uses, limits of slices. Stage 1 finds profiles and slices, stage 2 their
// words. Leaves out: counts.
`default_nettype none
module mmu_profiles #(
  parameter int unsigned Ports         = 512,
  parameter int unsigned PgProfiles    = 64,
  parameter int unsigned QueueProfiles = 64,
  parameter int unsigned CellBits      = 27,
  localparam int unsigned SliceBits = 2,
  localparam int unsigned PortBits = $clog2(Ports),
  localparam int unsigned ClassBits = PortBits + 3,
  localparam int unsigned PgProfileBits = $clog2(PgProfiles),
  localparam int unsigned QueueProfileBits = $clog2(QueueProfiles)
) (
  input  wire logic                        clk_i,
  // Configuration (mmu_admission).
  input  wire logic                        slice_valid_i,
  input  wire logic [SliceBits-1:0]        slice_index_i,
  input  wire logic [CellBits-1:0]         slice_main_i,
  input  wire logic [CellBits-1:0]         slice_lossy_i,
  input  wire logic [CellBits-1:0]         slice_egress_i,
  input  wire logic [CellBits-1:0]         slice_headroom_i,
  input  wire logic                        pg_valid_i,
  input  wire logic [PgProfileBits-1:0]    pg_profile_i,
  input  wire logic                        pg_lossless_i,
  input  wire logic                        pg_own_pool_i,
  input  wire logic                        pg_static_i,
  input  wire logic [4:0]                  pg_alpha_i,
  input  wire logic [CellBits-1:0]         pg_static_limit_i,
  input  wire logic [CellBits-1:0]         pg_min_i,
  input  wire logic [CellBits-1:0]         pg_room_i,
  input  wire logic [CellBits-1:0]         pg_private_i,
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
  input  wire logic                        map_valid_i,
  input  wire logic [PortBits-1:0]         map_port_i,
  input  wire logic [2:0]                  map_class_i,
  input  wire logic [SliceBits-1:0]        map_home_i,
  input  wire logic [PgProfileBits-1:0]    map_pg_profile_i,
  input  wire logic [QueueProfileBits-1:0] map_queue_profile_i,
  // Request: port and class.
  input  wire logic [ClassBits-1:0]        in_pg_i,
  input  wire logic [ClassBits-1:0]        in_queue_i,
  // One clock later: slices of the ports.
  output logic [SliceBits-1:0]             s1_in_slice_o,
  output logic [SliceBits-1:0]             s1_out_slice_o,
  // Two clocks later: the profiles.
  output logic                             s2_lossless_o,
  output logic                             s2_own_pool_o,
  output logic                             s2_static_o,
  output logic [4:0]                       s2_alpha_o,
  output logic [CellBits-1:0]              s2_static_limit_o,
  output logic [CellBits-1:0]              s2_pg_min_o,
  output logic [CellBits-1:0]              s2_room_o,
  output logic [CellBits-1:0]              s2_private_o,
  output logic [CellBits-1:0]              s2_xon_o,
  output logic [CellBits-1:0]              s2_xon_offset_o,
  output logic [CellBits-1:0]              s2_xoff_above_o,
  output logic                             s2_queue_lossless_o,
  output logic                             s2_queue_static_o,
  output logic [4:0]                       s2_queue_alpha_o,
  output logic [CellBits-1:0]              s2_queue_static_limit_o,
  output logic [CellBits-1:0]              s2_queue_minimum_o,
  // Limits of the slice of the request in stage 3, in the same clock.
  input  wire logic [SliceBits-1:0]        s2_slice_i,
  output logic [CellBits-1:0]              main_limit_o,
  output logic [CellBits-1:0]              lossy_limit_o,
  output logic [CellBits-1:0]              egress_limit_o,
  output logic [CellBits-1:0]              headroom_limit_o
);
  localparam int unsigned Slices        = 4;
  localparam int unsigned Classes       = Ports * 8;
  localparam int unsigned PgWordBits    = 8 + 7 * CellBits;
  localparam int unsigned QueueWordBits = 7 + 2 * CellBits;
  typedef logic [CellBits-1:0] count_t;

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
  assign main_limit_o     = main_limit_q[s2_slice_i];
  assign lossy_limit_o    = lossy_limit_q[s2_slice_i];
  assign egress_limit_o   = egress_limit_q[s2_slice_i];
  assign headroom_limit_o = headroom_limit_q[s2_slice_i];

  // Stage 1: which profiles, which slices.
  logic [PgProfileBits-1:0]    profile_of_pg [Classes];
  logic [QueueProfileBits-1:0] profile_of_queue [Classes];
  logic [SliceBits-1:0]        slice_of_port [Ports];
  logic [PgProfileBits-1:0]    pg_profile_q;
  logic [QueueProfileBits-1:0] queue_profile_q;
  always_ff @(posedge clk_i) begin
    if (map_valid_i) begin
      profile_of_pg[{map_port_i, map_class_i}]    <= map_pg_profile_i;
      profile_of_queue[{map_port_i, map_class_i}] <= map_queue_profile_i;
      slice_of_port[map_port_i]                   <= map_home_i;
    end
    pg_profile_q    <= profile_of_pg[in_pg_i];
    queue_profile_q <= profile_of_queue[in_queue_i];
    s1_in_slice_o   <= slice_of_port[in_pg_i[ClassBits-1:3]];
    s1_out_slice_o  <= slice_of_port[in_queue_i[ClassBits-1:3]];
  end

  // Stage 2: their words.
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
    {s2_lossless_o, s2_own_pool_o, s2_static_o, s2_alpha_o, s2_static_limit_o, s2_pg_min_o,
     s2_room_o, s2_private_o, s2_xon_o, s2_xon_offset_o, s2_xoff_above_o} <= pg_words[pg_profile_q];
    {s2_queue_lossless_o, s2_queue_static_o, s2_queue_alpha_o, s2_queue_static_limit_o,
     s2_queue_minimum_o} <= queue_words[queue_profile_q];
  end
endmodule : mmu_profiles
`resetall
