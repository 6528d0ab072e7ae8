// SPDX-License-Identifier: Apache-2.0
// Admission of the slice: heads and releases in the order in which they come, a release before the
// head of the same clock, and every verdict AdmitDelay clocks after its head, however long the
// request waited for its turn. Leaves out: PFC, more than one slice of the buffer.
//
//   heads, releases x 4 -> [order: 2 clocks and more] -> [MMU: 4] -> verdicts -> AdmitDelay: out
//
// The MMU takes a request a clock. Its counts depend on the order of requests and not on their
// clocks, so a queue in front of it costs no exactness; what hides it is the fixed delay. Releases
// that come too late to be in their order have turns that nobody else wants.
`default_nettype none
`include "sluice_fault.svh"
module slice_admission #(
  /// Clocks from a head to its verdict: 6 when its request need not wait.
  parameter int unsigned AdmitDelay = 11,
  localparam int unsigned Ports     = 4,
  localparam int unsigned CountBits = 20,          // of the MMU
  localparam int unsigned HeldBits  = 13           // ingress port, PG, queue, cells
) (
  input  wire logic                      clk_i,
  input  wire logic                      rst_ni,
  // Configuration of mmu_admission, at rest: one slice, no port level.
  input  wire logic                      chip_valid_i,
  input  wire logic                      chip_nvidia_i,
  input  wire logic [CountBits-1:0]      chip_total_i,
  input  wire logic                      slice_valid_i,
  input  wire logic [CountBits-1:0]      slice_main_i,
  input  wire logic [CountBits-1:0]      slice_lossy_i,
  input  wire logic [CountBits-1:0]      slice_egress_i,
  input  wire logic                      pg_valid_i,
  input  wire logic [1:0]                pg_profile_i,
  input  wire logic                      pg_own_pool_i,
  input  wire logic                      pg_static_i,
  input  wire logic [4:0]                pg_alpha_i,
  input  wire logic [CountBits-1:0]      pg_static_limit_i,
  input  wire logic [CountBits-1:0]      pg_min_i,
  input  wire logic                      queue_valid_i,
  input  wire logic [1:0]                queue_profile_i,
  input  wire logic                      queue_static_i,
  input  wire logic [4:0]                queue_alpha_i,
  input  wire logic [CountBits-1:0]      queue_static_limit_i,
  input  wire logic [CountBits-1:0]      queue_min_i,
  input  wire logic                      map_valid_i,
  input  wire logic [1:0]                map_port_i,
  input  wire logic [2:0]                map_class_i,
  input  wire logic [1:0]                map_pg_profile_i,
  input  wire logic [1:0]                map_queue_profile_i,
  // A frame; without `hit_i` it has no route and asks for nothing.
  input  wire logic                      head_valid_i,
  input  wire logic                      hit_i,
  input  wire logic [1:0]                ingress_i,
  input  wire logic [1:0]                egress_i,
  input  wire logic [2:0]                pg_i,
  input  wire logic [2:0]                queue_i,
  input  wire logic [13:0]               bytes_i,
  input  wire logic [4:0]                cells_i,
  input  wire logic                      ect_i,
  // Each egress port gives cells back.
  input  wire logic [Ports-1:0]          done_valid_i,
  input  wire logic [Ports-1:0]          done_late_i,
  input  wire logic [Ports*HeldBits-1:0] done_i,
  output logic [Ports-1:0]               done_take_o,
  // The verdict, with all that the head brought.
  output logic                           valid_o,
  output logic                           hit_o,
  output logic                           admitted_o,
  output logic [1:0]                     ingress_o,
  output logic [1:0]                     egress_o,
  output logic [2:0]                     pg_o,
  output logic [2:0]                     queue_o,
  output logic [13:0]                    bytes_o,
  output logic [4:0]                     cells_o,
  output logic                           ect_o,
  output logic                           late_o    // after its clock
);
  `SLUICE_FAULT_DECL
  localparam int unsigned RequestBits = 2 + 2 + 3 + 3 + 5;  // ingress, egress, PG, queue, cells
  localparam logic [2:0]  Heads = 3'(Ports);

  // Requests in their order.
  logic [Ports:0]                   ask, ready;
  logic [Ports-1:0]                 late, late_ready;
  logic [(Ports+1)*RequestBits-1:0] requests;
  logic                             asks, asks_late;
  logic [2:0]                       asks_who;
  logic [1:0]                       unused_who;
  logic [RequestBits-1:0]           asked, asked_late;
  for (genvar e = 0; e < Ports; e++) begin : gen_done
    assign requests[e*RequestBits +: RequestBits] =
        {done_i[e*HeldBits + 11 +: 2], 2'(e), done_i[e*HeldBits +: 11]};
  end
  assign requests[Ports*RequestBits +: RequestBits] = {ingress_i, egress_i, pg_i, queue_i, cells_i};
  assign ask         = {head_valid_i && hit_i, done_valid_i & ~done_late_i};
  assign late        = done_valid_i & done_late_i;
  assign done_take_o = (ask[Ports-1:0] & ready[Ports-1:0]) | (late & late_ready);
  ingress_arbiter #(.Ports(Ports + 1), .FifoPackets(16), .DescBits(RequestBits), .OldestFirst(1))
  u_order (
    .clk_i, .rst_ni, .in_valid_i(ask), .in_ready_o(ready), .in_desc_i(requests),
    .out_valid_o(asks), .out_ready_i(1'b1), .out_port_o(asks_who), .out_desc_o(asked));
  ingress_arbiter #(.Ports(Ports), .FifoPackets(16), .DescBits(RequestBits)) u_late (
    .clk_i, .rst_ni, .in_valid_i(late), .in_ready_o(late_ready),
    .in_desc_i(requests[Ports*RequestBits-1:0]), .out_valid_o(asks_late), .out_ready_i(!asks),
    .out_port_o(unused_who), .out_desc_o(asked_late));

  logic       release_asked, answered;
  logic [2:0] drop;
  logic [1:0] a_ingress, a_egress;
  logic [2:0] a_pg, a_queue;
  logic [4:0] a_cells;
  assign release_asked = !asks || asks_who != Heads;
  assign {a_ingress, a_egress, a_pg, a_queue, a_cells} =
      (asks && `SLUICE_FAULT(121, 1'b1, !asks_late)) ? asked : asked_late;
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
    .in_valid_i(asks || asks_late), .in_release_i(release_asked),
    .in_ingress_port_i(a_ingress), .in_pg_i(a_pg), .in_egress_port_i(a_egress), .in_queue_i(a_queue),
    .in_cells_i(`SLUICE_FAULT(113, 16'(a_cells), release_asked ? 16'd1 : 16'(a_cells))),
    .out_valid_o(answered), .out_drop_o(drop), .out_xoff_o(unused_bits[0]),
    .out_xon_o(unused_bits[1]), .out_pg_xoff_o(unused_bits[2]), .out_pg_min_o(unused_counts[0]),
    .out_pg_shared_o(unused_counts[1]), .out_pg_headroom_o(unused_counts[2]),
    .out_pg_total_o(unused_counts[3]), .out_queue_min_o(unused_counts[4]),
    .out_queue_shared_o(unused_counts[5]), .out_slice_o(unused_bits[4:3]),
    .out_main_o(unused_counts[6]), .out_lossy_o(unused_counts[7]), .out_egress_o(unused_counts[8]),
    .out_headroom_o(unused_counts[9]), .out_free_o(unused_counts[10]));

  // Answers to heads, and the heads that wait for them.
  localparam int unsigned DeepBits = 5;
  localparam int unsigned HeadBits = 1 + 2 + 2 + 3 + 3 + 14 + 5 + 1;
  logic                  head_asked_q [4];
  logic                  verdicts [2**DeepBits];
  logic [HeadBits-1:0]   heads [2**DeepBits];
  logic [DeepBits:0]     verdict_write_q, verdict_read_q, head_write_q, head_read_q;
  logic [AdmitDelay-1:0] due_q;
  logic [DeepBits:0]     overdue_q;                // heads whose clock has passed
  logic                  due, answer, kept, ahead, there;
  always_ff @(posedge clk_i) begin
    head_asked_q[0] <= !release_asked;
    for (int i = 1; i < 4; i++) head_asked_q[i] <= head_asked_q[i-1];
    if (answer) verdicts[verdict_write_q[DeepBits-1:0]] <= kept;
    if (head_valid_i) begin
      heads[head_write_q[DeepBits-1:0]] <= {hit_i, ingress_i, egress_i, pg_i, queue_i, bytes_i,
                                            cells_i, ect_i};
    end
  end
  assign answer = answered && head_asked_q[3];
  assign kept   = `SLUICE_FAULT(114, drop == '0, 1'b1);
  assign {hit_o, ingress_o, egress_o, pg_o, queue_o, bytes_o, cells_o, ect_o} =
      heads[head_read_q[DeepBits-1:0]];
  assign due        = due_q[AdmitDelay-1];
  assign ahead      = verdict_read_q != verdict_write_q;
  assign there      = !hit_o || ahead || answer;
  assign valid_o    = `SLUICE_FAULT(120, due || overdue_q != '0, head_read_q != head_write_q)
                      && there;
  assign admitted_o = hit_o && (ahead ? verdicts[verdict_read_q[DeepBits-1:0]] : kept);
  assign late_o     = valid_o && overdue_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {verdict_write_q, verdict_read_q, head_write_q, head_read_q} <= '0;
      due_q     <= '0;
      overdue_q <= '0;
    end else begin
      due_q     <= {due_q[AdmitDelay-2:0], head_valid_i};
      overdue_q <= overdue_q + {{DeepBits{1'b0}}, due} - {{DeepBits{1'b0}}, valid_o};
      if (answer)            verdict_write_q <= verdict_write_q + 1'b1;
      if (valid_o && hit_o)  verdict_read_q  <= verdict_read_q + 1'b1;
      if (head_valid_i)      head_write_q    <= head_write_q + 1'b1;
      if (valid_o)           head_read_q     <= head_read_q + 1'b1;
    end
  end

  logic unused;
  assign unused = ^{unused_bits, unused_who};
  if (AdmitDelay < 6 || AdmitDelay > 24) begin : g_chk_delay
    $error("AdmitDelay must be 6 to 24");
  end
`ifndef SYNTHESIS
  a_heads: assert property (@(posedge clk_i) disable iff (!rst_ni)
    head_valid_i |-> head_write_q - head_read_q != (DeepBits+1)'(2**DeepBits));
  a_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (ask & ~ready) == '0 && (late & ~late_ready) == '0);
`endif
endmodule : slice_admission
`resetall
