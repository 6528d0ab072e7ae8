// SPDX-License-Identifier: Apache-2.0
// Four ports of a switch chip from MAC to MAC, at the level of cells: parser, arbiter into one
// pipe, admission, cell memory, queues, marks, scheduler, egress MACs. One clock of 1.325 GHz, the
// packet rate of one pipeline; four ports of 800 Gb/s. Leaves out: PFC, VLANs, IPv6, TTL, the PHYs.
//
//   4 x cells -> arbiter -> parser -> [admission: 4 clocks] -> cell memory and lists of cells
//                                                  |                        |
//                                                  +-> queues of packets -> egress of each port -> MAC
//
// A cell is a word: the first 64 bytes of up to CellBytes. It is taken when its first byte comes
// (cut-through); what follows it on the wire stays behind it at the same rate. Cells of a packet
// follow one another in the list of (ingress port, egress port, queue), packets of all ingress
// ports in the queue of (egress port, queue).
`default_nettype none
`include "sluice_fault.svh"
module switch_slice #(
  /// Cells of the buffer, a power of two.
  parameter int unsigned Cells       /*verilator public*/ = 4096,
  parameter int unsigned CellBytes   /*verilator public*/ = 512,
  /// Clocks from the choice of a frame to its first byte on the wire.
  parameter int unsigned EgressDelay /*verilator public*/ = 64,
  /// A clock passes ClockUnits / ByteUnits bytes: 4000 / 53 B are 800 Gb/s at 1.325 GHz.
  parameter int unsigned ClockUnits  /*verilator public*/ = 4000,
  parameter int unsigned ByteUnits   /*verilator public*/ = 53,
  localparam int unsigned Ports    = 4,
  localparam int unsigned CountBits = 20           // of the MMU
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // Configuration, at rest. Of the parser:
  input  wire logic                 host_valid_i,
  input  wire logic [3:0]           host_index_i,
  input  wire logic [31:0]          host_address_i,
  input  wire logic [1:0]           host_port_i,
  input  wire logic                 class_valid_i,
  input  wire logic [5:0]           class_dscp_i,
  input  wire logic [2:0]           class_pg_i,
  input  wire logic [2:0]           class_queue_i,
  // Of mmu_admission, one slice; no port level.
  input  wire logic                 chip_valid_i,
  input  wire logic                 chip_nvidia_i,
  input  wire logic [CountBits-1:0] chip_total_i,
  input  wire logic                 slice_valid_i,
  input  wire logic [CountBits-1:0] slice_main_i,
  input  wire logic [CountBits-1:0] slice_lossy_i,
  input  wire logic [CountBits-1:0] slice_egress_i,
  input  wire logic                 pg_valid_i,
  input  wire logic [1:0]           pg_profile_i,
  input  wire logic                 pg_own_pool_i,
  input  wire logic                 pg_static_i,
  input  wire logic [4:0]           pg_alpha_i,
  input  wire logic [CountBits-1:0] pg_static_limit_i,
  input  wire logic [CountBits-1:0] pg_min_i,
  input  wire logic                 queue_valid_i,
  input  wire logic [1:0]           queue_profile_i,
  input  wire logic                 queue_static_i,
  input  wire logic [4:0]           queue_alpha_i,
  input  wire logic [CountBits-1:0] queue_static_limit_i,
  input  wire logic [CountBits-1:0] queue_min_i,
  input  wire logic                 map_valid_i,
  input  wire logic [1:0]           map_port_i,
  input  wire logic [2:0]           map_class_i,
  input  wire logic [1:0]           map_pg_profile_i,
  input  wire logic [1:0]           map_queue_profile_i,
  // Of egress_scheduler: one profile for all ports, without shapers.
  input  wire logic                 sched_valid_i,
  input  wire logic [7:0]           sched_strict_i,
  input  wire logic [8*23-1:0]      sched_quanta_i,
  input  wire logic                 sched_bucket_valid_i,
  input  wire logic [3:0]           sched_bucket_i,
  input  wire logic                 sched_map_valid_i,
  input  wire logic [1:0]           sched_map_port_i,
  // Of wred_marker.
  input  wire logic                 curve_valid_i,
  input  wire logic                 curve_profile_i,
  input  wire logic                 curve_enabled_i,
  input  wire logic [30:0]          curve_kmin_i,
  input  wire logic [30:0]          curve_kmax_i,
  input  wire logic                 mark_map_valid_i,
  input  wire logic [4:0]           mark_map_queue_i,
  input  wire logic                 mark_map_profile_i,
  // Ingress MACs: a cell of port p in bits p.
  input  wire logic [Ports-1:0]     in_valid_i,
  output logic [Ports-1:0]          in_ready_o,
  input  wire logic [Ports-1:0]     in_first_i,
  input  wire logic [Ports-1:0]     in_last_i,
  input  wire logic [Ports*10-1:0]  in_bytes_i,
  input  wire logic [Ports*512-1:0] in_word_i,
  // Egress MACs.
  output logic [Ports-1:0]          out_valid_o,
  output logic [Ports-1:0]          out_first_o,
  output logic [Ports-1:0]          out_last_o,
  output logic [Ports*10-1:0]       out_bytes_o,
  output logic [Ports*512-1:0]      out_word_o,
  // A packet that the MMU refuses, one without a route, and cells in use.
  output logic                      drop_o,
  output logic                      no_route_o,
  output logic [$clog2(Cells):0]     used_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned CellBits = $clog2(Cells);
  localparam int unsigned CellDesc = 512 + 10 + 2;
  localparam int unsigned Banks = 8;
  localparam int unsigned Rows  = Cells / 4;       // twice the cells: no bank fills up alone
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned DescBits = 11;

  // Ingress: one pipe.
  logic [Ports*CellDesc-1:0] in_desc;
  logic                      a_valid, a_first, a_last;
  logic [1:0]                a_port;
  logic [9:0]                a_bytes;
  logic [511:0]              a_word;
  for (genvar p = 0; p < Ports; p++) begin : gen_in
    assign in_desc[p*CellDesc +: CellDesc] = {in_first_i[p], in_last_i[p], in_bytes_i[p*10 +: 10],
                                              in_word_i[p*512 +: 512]};
  end
  ingress_arbiter #(.Ports(Ports), .FifoPackets(8), .DescBits(CellDesc)) u_arbiter (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o, .in_desc_i(in_desc), .out_valid_o(a_valid),
    .out_ready_i(1'b1), .out_port_o(a_port), .out_desc_o({a_first, a_last, a_bytes, a_word}));

  // Parser.
  logic         p_hit, p_ect;
  logic [1:0]   p_out;
  logic [2:0]   p_pg, p_queue;
  logic [13:0]  p_frame;
  logic [4:0]   p_cells;
  slice_parser #(.Hosts(16), .CellBytes(CellBytes)) u_parser (
    .clk_i, .rst_ni, .host_valid_i, .host_index_i, .host_address_i, .host_port_i, .class_valid_i,
    .class_dscp_i, .class_pg_i, .class_queue_i, .word_i(a_word[271:0]), .hit_o(p_hit),
    .port_o(p_out), .pg_o(p_pg), .queue_o(p_queue), .bytes_o(p_frame), .cells_o(p_cells),
    .ect_o(p_ect));
  logic         p_valid_q, p_first_q, p_last_q;
  logic [1:0]   p_port_q;
  logic [9:0]   p_bytes_q;
  logic [511:0] p_word_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) p_valid_q <= 1'b0;
    else         p_valid_q <= a_valid;
  end
  always_ff @(posedge clk_i) begin
    {p_first_q, p_last_q, p_port_q} <= {a_first, a_last, a_port};
    {p_bytes_q, p_word_q}           <= {a_bytes, a_word};
  end

  // Admission of a packet with its first cell; releases where no packet comes.
  logic              ask_admit, ask_release;
  logic [Ports-1:0]  done_valid, done_take;
  logic [Ports*13-1:0] done;
  logic [1:0]        done_port;
  logic [12:0]       released;
  logic              mmu_valid;
  logic [2:0]        mmu_drop;
  assign ask_admit   = p_valid_q && p_first_q && p_hit;
  assign ask_release = !ask_admit && done_valid != '0;
  always_comb begin
    done_port = '0;
    for (int unsigned e = 0; e < Ports; e++) begin
      if (done_valid[Ports-1-e]) done_port = 2'(Ports - 1 - e);
    end
    done_take = '0;
    done_take[done_port] = ask_release;
  end
  assign released = done[32'(done_port)*13 +: 13];
  logic [CountBits-1:0] unused_counts [11];
  logic [4:0]           unused_bits;
  mmu_admission #(.Ports(Ports), .PgProfiles(4), .QueueProfiles(4), .CellBits(CountBits)) u_mmu (
    .clk_i, .rst_ni,
    .chip_valid_i, .chip_nvidia_i, .chip_by_ingress_i(1'b1), .chip_shared_headroom_i(1'b0),
    .chip_port_level_i(1'b0), .chip_port_alpha_i('0), .chip_total_i, .chip_in_min_i('0),
    .chip_in_limited_i(1'b0), .chip_in_limit_i('0), .chip_out_min_i('0),
    .chip_out_limited_i(1'b0), .chip_out_limit_i('0),
    .slice_valid_i, .slice_index_i('0), .slice_main_i, .slice_lossy_i, .slice_egress_i,
    .slice_headroom_i('0),
    .pg_valid_i, .pg_profile_i, .pg_lossless_i(1'b0), .pg_own_pool_i, .pg_static_i, .pg_alpha_i,
    .pg_static_limit_i, .pg_min_i, .pg_room_i('0), .pg_private_i('0), .pg_xon_i('0),
    .pg_xon_offset_i('0), .pg_xoff_above_i('0),
    .queue_valid_i, .queue_profile_i, .queue_lossless_i(1'b0), .queue_static_i, .queue_alpha_i,
    .queue_static_limit_i, .queue_min_i,
    .map_valid_i, .map_slice_i('0), .map_port_i, .map_class_i, .map_home_i('0), .map_pg_profile_i,
    .map_queue_profile_i,
    .in_valid_i(ask_admit || ask_release), .in_release_i(!ask_admit),
    .in_ingress_port_i(ask_admit ? p_port_q : released[12:11]),
    .in_pg_i(ask_admit ? p_pg : released[10:8]),
    .in_egress_port_i(ask_admit ? p_out : done_port),
    .in_queue_i(ask_admit ? p_queue : released[7:5]),
    .in_cells_i(ask_admit ? 16'(p_cells) : `SLUICE_FAULT(113, 16'(released[4:0]), 16'd1)),
    .out_valid_o(mmu_valid), .out_drop_o(mmu_drop), .out_xoff_o(unused_bits[0]),
    .out_xon_o(unused_bits[1]), .out_pg_xoff_o(unused_bits[2]), .out_pg_min_o(unused_counts[0]),
    .out_pg_shared_o(unused_counts[1]), .out_pg_headroom_o(unused_counts[2]),
    .out_pg_total_o(unused_counts[3]), .out_queue_min_o(unused_counts[4]),
    .out_queue_shared_o(unused_counts[5]), .out_slice_o(unused_bits[4:3]),
    .out_main_o(unused_counts[6]), .out_lossy_o(unused_counts[7]), .out_egress_o(unused_counts[8]),
    .out_headroom_o(unused_counts[9]), .out_free_o(unused_counts[10]));

  // The cell waits for the answer.
  localparam int unsigned WaitBits = 4 + 2 + 2 + 3 + 3 + 14 + 5 + 10 + 512;
  logic [WaitBits-1:0] wait_q [4];
  logic [3:0]          wait_valid_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) wait_valid_q <= '0;
    else         wait_valid_q <= {wait_valid_q[2:0], p_valid_q};
  end
  always_ff @(posedge clk_i) begin
    wait_q[0] <= {p_first_q, p_last_q, p_hit, p_ect, p_port_q, p_out, p_pg, p_queue, p_frame, p_cells,
                  p_bytes_q, p_word_q};
    for (int i = 1; i < 4; i++) wait_q[i] <= wait_q[i-1];
  end
  logic         m_valid, m_first, m_last, m_hit, m_ect;
  logic [1:0]   m_port, m_out;
  logic [2:0]   m_pg, m_queue;
  logic [13:0]  m_frame;
  logic [4:0]   m_cells;
  logic [9:0]   m_bytes;
  logic [511:0] m_word;
  assign m_valid = wait_valid_q[3];
  assign {m_first, m_last, m_hit, m_ect, m_port, m_out, m_pg, m_queue, m_frame, m_cells,
          m_bytes, m_word} = wait_q[3];

  // The rest of a packet goes where its first cell went.
  logic [Ports-1:0] kept_q;
  logic [1:0]       out_of_q [Ports];
  logic [2:0]       queue_of_q [Ports];
  logic             admitted, keep, push;
  logic [1:0]       to_port;
  logic [2:0]       to_queue;
  assign admitted = m_hit && mmu_valid && `SLUICE_FAULT(114, mmu_drop == '0, 1'b1);
  assign keep     = m_valid && (m_first ? admitted : `SLUICE_FAULT(115, kept_q[m_port], 1'b1));
  assign push     = m_valid && m_first && admitted;
  assign to_port  = m_first ? m_out : out_of_q[m_port];
  assign to_queue = m_first ? m_queue : queue_of_q[m_port];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_q <= '0;
    else if (m_valid && m_first) kept_q[m_port] <= admitted;
    if (m_valid && m_first) begin
      out_of_q[m_port]   <= m_out;
      queue_of_q[m_port] <= m_queue;
    end
  end
  assign drop_o     = m_valid && m_first && m_hit && !admitted;
  assign no_route_o = m_valid && m_first && !m_hit;

  // Cells: where they lie, and their lists.
  localparam int unsigned TagPad = 32 - 10 - 3 - RowBits;
  logic [2:0]          wr_bank;
  logic [RowBits-1:0]  wr_row;
  logic                wr_ready, enq_ready, deq_valid, deq_ready, c_valid, c_first, c_last;
  logic [6:0]          deq_list;
  logic [CellBits-1:0] c_cell, unused_cell;
  logic [31:0]         c_tag;
  logic                r_valid;
  logic [511:0]        r_word;
  cell_buffer #(.Cells(Cells), .Queues(128)) u_cells (
    .clk_i, .rst_ni, .cells_i((CellBits+1)'(Cells)),
    .enq_valid_i(keep), .enq_ready_o(enq_ready),
    .enq_queue_i({`SLUICE_FAULT(116, m_port, 2'd0), to_port, to_queue}), .enq_first_i(m_first),
    .enq_last_i(m_last), .enq_tag_i({{TagPad{1'b0}}, m_bytes, wr_bank, wr_row}),
    .enq_cell_o(unused_cell),
    .deq_valid_i(deq_valid), .deq_ready_o(deq_ready), .deq_queue_i(deq_list),
    .out_valid_o(c_valid), .out_cell_o(c_cell), .out_first_o(c_first), .out_last_o(c_last),
    .out_tag_o(c_tag),
    .rel_valid_i(c_valid), .rel_cell_i(c_cell), .used_o(used_o));
  cell_memory_banks #(.Banks(Banks), .Rows(Rows), .DataBits(512)) u_memory (
    .clk_i, .rst_ni, .rows_i((RowBits+1)'(Rows)),
    .wr_valid_i(keep), .wr_ready_o(wr_ready), .wr_data_i(m_word), .wr_bank_o(wr_bank),
    .wr_row_o(wr_row),
    .rd_valid_i(c_valid), .rd_bank_i(c_tag[RowBits +: 3]), .rd_row_i(c_tag[RowBits-1:0]),
    .out_valid_o(r_valid), .out_data_o(r_word),
    .rel_valid_i(c_valid), .rel_bank_i(c_tag[RowBits +: 3]), .rel_row_i(c_tag[RowBits-1:0]));

  // Which egress port gets the next cell: in turn.
  logic [Ports-1:0]   fetch_valid, fetch_take;
  logic [Ports*5-1:0] fetch_list;
  logic [1:0]         fetch_first_q, fetch_port, c_port_q, r_port_q;
  logic [9:0]         r_bytes_q;
  always_comb begin
    fetch_port = fetch_first_q;
    for (int unsigned i = 0; i < Ports; i++) begin
      if (fetch_valid[fetch_first_q + 2'(Ports - 1 - i)]) begin
        fetch_port = fetch_first_q + 2'(Ports - 1 - i);
      end
    end
  end
  for (genvar e = 0; e < Ports; e++) begin : gen_fetch
    assign fetch_take[e] = fetch_port == 2'(e) && deq_valid && deq_ready;
  end
  assign deq_valid = fetch_valid != '0;
  assign deq_list  = {fetch_list[32'(fetch_port)*5 + 3 +: 2], fetch_port,
                      fetch_list[32'(fetch_port)*5 +: 3]};
  always_ff @(posedge clk_i) begin
    if (!rst_ni)        fetch_first_q <= '0;
    else if (deq_valid) fetch_first_q <= fetch_port + 2'd1;
  end
  always_ff @(posedge clk_i) begin
    c_port_q  <= `SLUICE_FAULT(117, fetch_port, fetch_first_q);
    r_port_q  <= c_port_q;
    r_bytes_q <= c_tag[RowBits + 3 +: 10];
  end

  // Scheduler and marker serve the ports in turn; who asked, in the order of the answers.
  logic [Ports-1:0]      sched_valid, sched_emptied, sched_take, chosen, marked;
  logic [Ports*3-1:0]    sched_queue;
  logic [Ports*8-1:0]    sched_waiting;
  logic [Ports*8*14-1:0] sched_heads;
  logic [1:0]            sched_port;
  logic                  sched_ready, sched_out;
  logic [2:0]            sched_out_queue;
  always_comb begin
    sched_port = '0;
    for (int unsigned e = 0; e < Ports; e++) begin
      if (sched_valid[Ports-1-e]) sched_port = 2'(Ports - 1 - e);
    end
    sched_take = '0;
    sched_take[sched_port] = sched_valid != '0 && sched_ready;
  end
  logic         unused_none, unused_granted;
  logic [191:0] unused_deficits;
  logic [2:0]   unused_turn;
  logic [7:0]   unused_held;
  logic [63:0]  unused_opens [2];
  egress_scheduler #(.Ports(Ports), .Profiles(2)) u_scheduler (
    .clk_i, .rst_ni, .profile_valid_i(sched_valid_i), .profile_profile_i(1'b0),
    .profile_strict_i(sched_strict_i), .profile_quanta_i(sched_quanta_i),
    .bucket_valid_i(sched_bucket_valid_i), .bucket_profile_i(1'b0),
    .bucket_index_i(sched_bucket_i), .bucket_rate_i('0), .bucket_burst_i('0), .bucket_byte_i('0),
    .map_valid_i(sched_map_valid_i), .map_port_i(sched_map_port_i), .map_profile_i(1'b0),
    .in_valid_i(sched_valid != '0), .in_ready_o(sched_ready),
    .in_kind_i(sched_emptied[sched_port] ? 2'd1 : 2'd0), .in_port_i(sched_port),
    .in_queue_i(sched_queue[32'(sched_port)*3 +: 3]),
    .in_waiting_i(sched_waiting[32'(sched_port)*8 +: 8]), .in_paused_i('0),
    .in_heads_i(sched_heads[32'(sched_port)*112 +: 112]), .in_bytes_i('0), .in_now_i('0),
    .out_valid_o(sched_out), .out_none_o(unused_none), .out_queue_o(sched_out_queue),
    .out_deficits_o(unused_deficits), .out_turn_o(unused_turn), .out_granted_o(unused_granted),
    .out_held_o(unused_held), .out_queue_opens_o(unused_opens[0]),
    .out_port_opens_o(unused_opens[1]));
  logic [2:0] asked [8];                           // emptied, port
  logic [2:0] asked_read_q, asked_write_q;
  always_ff @(posedge clk_i) begin
    if (sched_take != '0) asked[asked_write_q] <= {sched_emptied[sched_port], sched_port};
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {asked_read_q, asked_write_q} <= '0;
    else begin
      if (sched_take != '0) asked_write_q <= asked_write_q + 1'b1;
      if (sched_out)        asked_read_q  <= asked_read_q + 1'b1;
    end
  end
  always_comb begin
    chosen = '0;
    chosen[asked[asked_read_q][1:0]] = sched_out && !asked[asked_read_q][2];
  end

  logic [Ports-1:0]    mark_valid, mark_take, mark_ect;
  logic [Ports*3-1:0]  mark_queue;
  logic [Ports*32-1:0] mark_depth;
  logic [1:0]          mark_port;
  logic [1:0]          mark_of_q [3];
  logic                mark_out, mark, unused_mark_drop;
  logic [31:0]         unused_length;
  always_comb begin
    mark_port = '0;
    for (int unsigned e = 0; e < Ports; e++) begin
      if (mark_valid[Ports-1-e]) mark_port = 2'(Ports - 1 - e);
    end
    mark_take = '0;
    mark_take[mark_port] = mark_valid != '0;
    marked = '0;
    marked[mark_of_q[2]] = mark_out;
  end
  always_ff @(posedge clk_i) begin
    mark_of_q[0] <= mark_port;
    for (int i = 1; i < 3; i++) mark_of_q[i] <= mark_of_q[i-1];
  end
  wred_marker #(.Queues(32), .Profiles(2)) u_marker (
    .clk_i, .rst_ni, .curve_valid_i, .curve_profile_i, .curve_enabled_i, .curve_drop_not_ect_i(1'b0),
    .curve_weight_i('0), .curve_kmin_i, .curve_kmax_i, .curve_pmax_i('0), .curve_drop_kmin_i('0),
    .curve_drop_kmax_i('0), .curve_drop_pmax_i('0), .map_valid_i(mark_map_valid_i),
    .map_queue_i(mark_map_queue_i), .map_profile_i(mark_map_profile_i),
    .in_valid_i(mark_valid != '0), .in_queue_i({mark_port, mark_queue[32'(mark_port)*3 +: 3]}),
    .in_bytes_i(mark_depth[32'(mark_port)*32 +: 32]), .in_random_i('0),
    .in_ect_i(mark_ect[mark_port]), .out_valid_o(mark_out), .out_mark_o(mark),
    .out_drop_o(unused_mark_drop), .out_length_o(unused_length));

  // Egress ports.
  logic [Ports-1:0] underrun;
  for (genvar e = 0; e < Ports; e++) begin : gen_out
    slice_egress #(.Packets(Cells), .EgressDelay(EgressDelay), .ClockUnits(ClockUnits),
                   .ByteUnits(ByteUnits), .CellBytes(CellBytes)) u_egress (
      .clk_i, .rst_ni,
      .push_i(push && m_out == 2'(e)), .push_queue_i(m_queue), .push_bytes_i(m_frame),
      .push_desc_i(DescBits'({m_port, m_pg, m_cells, m_ect})),
      .sched_valid_o(sched_valid[e]), .sched_emptied_o(sched_emptied[e]),
      .sched_queue_o(sched_queue[e*3 +: 3]), .sched_waiting_o(sched_waiting[e*8 +: 8]),
      .sched_heads_o(sched_heads[e*112 +: 112]), .sched_take_i(sched_take[e]),
      .chosen_i(chosen[e]), .chosen_queue_i(sched_out_queue),
      .mark_valid_o(mark_valid[e]), .mark_queue_o(mark_queue[e*3 +: 3]),
      .mark_depth_o(mark_depth[e*32 +: 32]), .mark_ect_o(mark_ect[e]), .mark_take_i(mark_take[e]),
      .marked_valid_i(marked[e]), .marked_i(mark),
      .fetch_valid_o(fetch_valid[e]), .fetch_port_o(fetch_list[e*5+3 +: 2]),
      .fetch_queue_o(fetch_list[e*5 +: 3]), .fetch_take_i(fetch_take[e]),
      .cell_valid_i(r_valid && r_port_q == 2'(e)), .cell_i({r_bytes_q, r_word}),
      .done_valid_o(done_valid[e]), .done_o(done[e*13 +: 13]), .done_take_i(done_take[e]),
      .out_valid_o(out_valid_o[e]), .out_first_o(out_first_o[e]), .out_last_o(out_last_o[e]),
      .out_bytes_o(out_bytes_o[e*10 +: 10]), .out_word_o(out_word_o[e*512 +: 512]),
      .underrun_o(underrun[e]));
  end

  logic unused;
  assign unused = ^{unused_bits, unused_cell, c_first, c_last, c_tag[31 -: TagPad],
                    unused_none, unused_granted, unused_deficits, unused_turn, unused_held,
                    unused_mark_drop, unused_length, underrun, wr_ready, enq_ready,
                    unused_opens[0], unused_opens[1]};
  if (Cells < 16 || Cells > 65536 || (Cells & (Cells - 1)) != 0) begin : g_chk_cells
    $error("Cells must be a power of two, 16 to 65536");
  end
`ifndef SYNTHESIS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) keep |-> wr_ready && enq_ready);
  a_answer: assert property (@(posedge clk_i) disable iff (!rst_ni)
    m_valid && m_first && m_hit |-> mmu_valid);
  a_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (in_valid_i & ~in_ready_o) == '0);
`endif
endmodule : switch_slice
`resetall
