// SPDX-License-Identifier: Apache-2.0
// Four ports of a switch chip from MAC to MAC, at the level of cells: arbiter into one pipe, parser,
// admission, cell memory, queues, marks, scheduler, egress MACs. One clock of 755 ps, the packet rate
// of one pipeline; four ports of 800 Gb/s. Leaves out: PFC frames of its own, VLANs, IPv6, TTL,
// the PHYs.
//
//   4 x cells -+-> heads: [slice_ingress: 3 clocks] -> [slice_admission: AdmitDelay] -> verdicts
//              |                                                                          |
//              |                        +-------------------------------------------------+
//              |                        |                                                 v
//              +-> cells: slice_cells <-+                 packets: slice_egress of each port -> MAC
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
  /// Clocks from a frame's head at the MMU to the frame in its queue.
  parameter int unsigned AdmitDelay  /*verilator public*/ = 11,
  /// Clocks from the choice of a frame to its first byte on the wire.
  parameter int unsigned EgressDelay /*verilator public*/ = 64,
  /// Clocks from the head of a PFC frame until it is obeyed; ps of a clock.
  parameter int unsigned PauseClocks /*verilator public*/ = 265,
  parameter int unsigned ClockPs     /*verilator public*/ = 755,
  /// A clock passes ClockUnits / ByteUnits bytes: 151 / 2 B are 800 Gb/s in clocks of 755 ps.
  parameter int unsigned ClockUnits  /*verilator public*/ = 151,
  parameter int unsigned ByteUnits   /*verilator public*/ = 2,
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
  // Of pfc_rx.
  input  wire logic                 pause_valid_i,
  input  wire logic [1:0]           pause_port_i,
  input  wire logic [7:0]           pause_lossless_i,
  input  wire logic [87:0]          pause_quantum_i,
  // Ingress MACs: a cell of port p in bits p. Now, in ps, in steps of ClockPs.
  input  wire logic [63:0]          now_i,
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
  // A packet that the MMU refuses, one without a route, cells in use; a verdict and cells given back
  // to the MMU that are behind their clock.
  output logic                      drop_o,
  output logic                      no_route_o,
  output logic [$clog2(Cells):0]    used_o,
  output logic                      late_verdict_o,
  output logic                      late_release_o
);
  localparam int unsigned HeadBits = 272;          // that the parser reads
  localparam int unsigned DescBits = 11;

  // Heads into the pipe; all cells wait for the verdict. A head is taken by both or by neither.
  logic [Ports-1:0]          heads_ready, cells_ready;
  logic [Ports*HeadBits-1:0] in_head;
  logic                      h_valid, h_hit, h_ect;
  logic [1:0]                h_ingress, h_egress;
  logic [2:0]                h_pg, h_queue;
  logic [13:0]               h_bytes;
  logic [4:0]                h_cells;
  assign in_ready_o = heads_ready & cells_ready;
  // PFC frames are one cell; they go no further than to the pauses.
  logic [Ports-1:0]   control, data;
  logic [Ports*8-1:0] paused;
  assign data = in_valid_i & ~(in_first_i & control);
  slice_pause #(.PauseClocks(PauseClocks), .ClockPs(ClockPs)) u_pause (
    .clk_i, .rst_ni, .port_valid_i(pause_valid_i), .port_port_i(pause_port_i),
    .port_lossless_i(pause_lossless_i), .port_quantum_i(pause_quantum_i), .now_i,
    .in_valid_i(in_valid_i & in_first_i), .in_word_i, .control_o(control), .paused_o(paused));
  for (genvar p = 0; p < Ports; p++) begin : gen_in
    assign in_head[p*HeadBits +: HeadBits] = in_word_i[p*512 +: HeadBits];
  end
  slice_ingress #(.CellBytes(CellBytes)) u_ingress (
    .clk_i, .rst_ni, .host_valid_i, .host_index_i, .host_address_i, .host_port_i, .class_valid_i,
    .class_dscp_i, .class_pg_i, .class_queue_i, .in_valid_i(data & in_first_i & cells_ready),
    .in_ready_o(heads_ready), .in_head_i(in_head), .valid_o(h_valid), .ingress_o(h_ingress),
    .hit_o(h_hit), .egress_o(h_egress), .pg_o(h_pg), .queue_o(h_queue), .bytes_o(h_bytes),
    .cells_o(h_cells), .ect_o(h_ect));

  logic                m_valid, m_hit, m_admitted, m_ect;
  logic [1:0]          m_ingress, m_egress;
  logic [2:0]          m_pg, m_queue;
  logic [13:0]         m_bytes;
  logic [4:0]          m_cells;
  logic [Ports-1:0]    done_valid, done_late, done_take;
  assign late_release_o = (done_valid & done_late) != '0;
  logic [Ports*13-1:0] done;
  slice_admission #(.AdmitDelay(AdmitDelay)) u_admission (
    .clk_i, .rst_ni,
    .chip_valid_i, .chip_nvidia_i, .chip_total_i, .slice_valid_i, .slice_main_i, .slice_lossy_i,
    .slice_egress_i, .pg_valid_i, .pg_profile_i, .pg_own_pool_i, .pg_static_i, .pg_alpha_i,
    .pg_static_limit_i, .pg_min_i, .queue_valid_i, .queue_profile_i, .queue_static_i, .queue_alpha_i,
    .queue_static_limit_i, .queue_min_i, .map_valid_i, .map_port_i, .map_class_i, .map_pg_profile_i,
    .map_queue_profile_i,
    .head_valid_i(h_valid), .hit_i(h_hit), .ingress_i(h_ingress), .egress_i(h_egress), .pg_i(h_pg),
    .queue_i(h_queue), .bytes_i(h_bytes), .cells_i(h_cells), .ect_i(h_ect),
    .done_valid_i(done_valid), .done_late_i(done_late), .done_i(done), .done_take_o(done_take),
    .valid_o(m_valid), .hit_o(m_hit), .admitted_o(m_admitted), .ingress_o(m_ingress),
    .egress_o(m_egress), .pg_o(m_pg), .queue_o(m_queue), .bytes_o(m_bytes), .cells_o(m_cells),
    .ect_o(m_ect), .late_o(late_verdict_o));
  assign drop_o     = m_valid && m_hit && !m_admitted;
  assign no_route_o = m_valid && !m_hit;

  logic [Ports-1:0]   fetch_valid, fetch_take, cell_valid;
  logic [Ports*5-1:0] fetch_list;
  logic [521:0]       fetched;
  slice_cells #(.Cells(Cells)) u_cells (
    .clk_i, .rst_ni, .in_valid_i(data & in_ready_o), .in_ready_o(cells_ready), .in_last_i,
    .in_bytes_i, .in_word_i, .verdict_valid_i(m_valid), .verdict_ingress_i(m_ingress),
    .verdict_keep_i(m_admitted), .verdict_egress_i(m_egress), .verdict_queue_i(m_queue),
    .fetch_valid_i(fetch_valid), .fetch_list_i(fetch_list), .fetch_take_o(fetch_take),
    .cell_valid_o(cell_valid), .cell_o(fetched), .used_o);

  logic [Ports-1:0]      sched_valid, sched_emptied, sched_take, chosen;
  logic [Ports*3-1:0]    sched_queue, mark_queue;
  logic [Ports*8-1:0]    sched_waiting;
  logic [Ports*8*14-1:0] sched_heads;
  logic [2:0]            chosen_queue;
  logic [Ports-1:0]      mark_valid, mark_ect, mark_take, marked;
  logic [Ports*32-1:0]   mark_depth;
  logic                  mark;
  slice_service u_service (
    .clk_i, .rst_ni, .profile_valid_i(sched_valid_i), .sched_strict_i, .sched_quanta_i,
    .sched_bucket_valid_i, .sched_bucket_i, .sched_map_valid_i, .sched_map_port_i, .curve_valid_i,
    .curve_profile_i, .curve_enabled_i, .curve_kmin_i, .curve_kmax_i, .mark_map_valid_i,
    .mark_map_queue_i, .mark_map_profile_i,
    .sched_valid_i(sched_valid), .sched_emptied_i(sched_emptied), .sched_queue_i(sched_queue),
    .sched_waiting_i(sched_waiting), .sched_heads_i(sched_heads), .sched_take_o(sched_take),
    .chosen_o(chosen), .chosen_queue_o(chosen_queue), .mark_valid_i(mark_valid),
    .mark_queue_i(mark_queue), .mark_depth_i(mark_depth), .mark_ect_i(mark_ect),
    .mark_take_o(mark_take), .marked_o(marked), .mark_o(mark));

  // Egress ports.
  logic [Ports-1:0] underrun;
  for (genvar e = 0; e < Ports; e++) begin : gen_out
    slice_egress #(.Packets(Cells), .EgressDelay(EgressDelay), .ReleaseLead(AdmitDelay + 1),
                   .ClockUnits(ClockUnits), .ByteUnits(ByteUnits), .CellBytes(CellBytes)) u_egress (
      .clk_i, .rst_ni,
      .push_i(m_valid && m_admitted && m_egress == 2'(e)), .push_queue_i(m_queue),
      .push_bytes_i(m_bytes), .push_desc_i(DescBits'({m_ingress, m_pg, m_cells, m_ect})),
      .paused_i(paused[e*8 +: 8]),
      .sched_valid_o(sched_valid[e]), .sched_emptied_o(sched_emptied[e]),
      .sched_queue_o(sched_queue[e*3 +: 3]), .sched_waiting_o(sched_waiting[e*8 +: 8]),
      .sched_heads_o(sched_heads[e*112 +: 112]), .sched_take_i(sched_take[e]),
      .chosen_i(chosen[e]), .chosen_queue_i(chosen_queue),
      .mark_valid_o(mark_valid[e]), .mark_queue_o(mark_queue[e*3 +: 3]),
      .mark_depth_o(mark_depth[e*32 +: 32]), .mark_ect_o(mark_ect[e]), .mark_take_i(mark_take[e]),
      .marked_valid_i(marked[e]), .marked_i(mark),
      .fetch_valid_o(fetch_valid[e]), .fetch_port_o(fetch_list[e*5+3 +: 2]),
      .fetch_queue_o(fetch_list[e*5 +: 3]), .fetch_take_i(fetch_take[e]),
      .cell_valid_i(cell_valid[e]), .cell_i(fetched),
      .done_valid_o(done_valid[e]), .done_o(done[e*13 +: 13]), .done_take_i(done_take[e]),
      .done_late_o(done_late[e]),
      .out_valid_o(out_valid_o[e]), .out_first_o(out_first_o[e]), .out_last_o(out_last_o[e]),
      .out_bytes_o(out_bytes_o[e*10 +: 10]), .out_word_o(out_word_o[e*512 +: 512]),
      .underrun_o(underrun[e]));
  end

  logic unused;
  assign unused = ^underrun;
  if (Cells < 16 || Cells > 65536 || (Cells & (Cells - 1)) != 0) begin : g_chk_cells
    $error("Cells must be a power of two, 16 to 65536");
  end
`ifndef SYNTHESIS
  a_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (in_valid_i & ~in_ready_o) == '0);
`endif
endmodule : switch_slice
`resetall
