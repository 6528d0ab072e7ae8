// SPDX-License-Identifier: Apache-2.0
// Queues of cells in a shared memory: a free list and a linked list a queue. In one clock a cell may
// come into a queue, another leave a queue and a third go back to the free list. What comes in can
// leave from the next clock on. Leaves out: the cells' data (cell_memory_banks).
//
//   dequeue -> [queue's head; link, flags and tag read] -> out, and the link is the head
//
// The cells of a packet come into their queue one after the other, with no other packet's between.
// Links, flags and tags are memories of one read and one write port; heads, tails and which queues
// hold a cell are registers.
`default_nettype none
`include "sluice_fault.svh"
module cell_buffer #(
  /// Cells, a power of two: 4 to 2^24.
  parameter int unsigned Cells  /*verilator public*/ = 1048576,
  /// Queues, 2 to 65536.
  parameter int unsigned Queues /*verilator public*/ = 4096,
  /// Clocks from a dequeue to its cell.
  localparam int unsigned Latency = 1,
  localparam int unsigned CellBits  = $clog2(Cells),
  localparam int unsigned QueueBits = $clog2(Queues)
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic [CellBits:0]    cells_i,       // cells in use, 1 to Cells; at rest
  // A cell comes into a queue and gets a number.
  input  wire logic                 enq_valid_i,
  output logic                      enq_ready_o,   // a cell is free
  input  wire logic [QueueBits-1:0] enq_queue_i,
  input  wire logic                 enq_first_i,   // of its packet
  input  wire logic                 enq_last_i,
  input  wire logic [31:0]          enq_tag_i,
  output logic [CellBits-1:0]       enq_cell_o,
  // The first cell of a queue leaves it.
  input  wire logic                 deq_valid_i,
  output logic                      deq_ready_o,   // that queue holds a cell
  input  wire logic [QueueBits-1:0] deq_queue_i,
  output logic                      out_valid_o,
  output logic [CellBits-1:0]       out_cell_o,
  output logic                      out_first_o,
  output logic                      out_last_o,
  output logic [31:0]               out_tag_o,
  // A cell that has left its queue is free.
  input  wire logic                 rel_valid_i,
  input  wire logic [CellBits-1:0]  rel_cell_i,
  output logic [CellBits:0]         used_o         // cells in queues, or not released yet
);
  `SLUICE_FAULT_DECL
  logic [CellBits-1:0] links [Cells];              // the next cell of the queue
  logic [33:0]         words [Cells];              // first, last, tag
  logic [CellBits-1:0] heads [Queues];
  logic [CellBits-1:0] tails [Queues];
  logic [Queues-1:0]   filled_q;                   // which queues hold a cell

  logic enq, deq;
  assign enq = enq_valid_i && `SLUICE_FAULT(3, enq_ready_o, 1'b1);
  assign deq_ready_o = `SLUICE_FAULT(2, filled_q[deq_queue_i], 1'b1);
  assign deq = deq_valid_i && deq_ready_o;

  free_list #(.Slots(Cells), .FirstFault(9)) u_free (
    .clk_i,
    .rst_ni,
    .limit_i      (cells_i),
    .ready_o      (enq_ready_o),
    .slot_o       (enq_cell_o),
    .take_i       (enq),
    .give_valid_i (rel_valid_i),
    .give_slot_i  (rel_cell_i),
    .used_o
  );

  // Enqueue: the queue's last cell gets a link to the new one.
  logic                enq_filled, same_queue;
  logic [CellBits-1:0] enq_tail;
  assign enq_filled = filled_q[enq_queue_i];
  assign enq_tail   = tails[enq_queue_i];
  assign same_queue = enq && enq_queue_i == deq_queue_i;

  // Dequeue: the head, which the dequeue of the clock before may have in hand still.
  logic                 moved_q;                   // that dequeue left a cell behind
  logic [QueueBits-1:0] moved_queue_q;
  logic [CellBits-1:0]  moved_head_q, deq_cell;
  logic                 one_left, deq_empties, new_link;
  assign deq_cell    = `SLUICE_FAULT(1, moved_q && moved_queue_q == deq_queue_i, 1'b0)
                       ? moved_head_q : heads[deq_queue_i];
  assign one_left    = deq_cell == tails[deq_queue_i];
  assign deq_empties = one_left && !`SLUICE_FAULT(4, same_queue, 1'b0);
  // The link that is read is being written: into a queue of one cell comes another.
  assign new_link    = `SLUICE_FAULT(5, same_queue && one_left, 1'b0);

  always_ff @(posedge clk_i) begin
    if (enq && enq_filled) links[enq_tail] <= enq_cell_o;
    if (enq) words[enq_cell_o] <= {enq_first_i, enq_last_i, enq_tag_i};
    moved_head_q <= new_link ? enq_cell_o : links[deq_cell];
    {out_first_o, out_last_o, out_tag_o} <= words[deq_cell];
    out_cell_o <= deq_cell;
    moved_queue_q <= deq_queue_i;
  end
  always_ff @(posedge clk_i) begin
    if (enq && !enq_filled) heads[enq_queue_i] <= enq_cell_o;
    if (moved_q) heads[moved_queue_q] <= moved_head_q;
    if (enq && `SLUICE_FAULT(6, 1'b1, !enq_filled)) tails[enq_queue_i] <= enq_cell_o;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      moved_q     <= 1'b0;
      out_valid_o <= 1'b0;
      filled_q    <= `SLUICE_FAULT(7, '0, filled_q);
    end else begin
      moved_q     <= deq && `SLUICE_FAULT(8, !deq_empties, 1'b1);
      out_valid_o <= deq;
      if (deq && deq_empties) filled_q[deq_queue_i] <= 1'b0;
      if (enq) filled_q[enq_queue_i] <= 1'b1;
    end
  end

  if (Queues < 2 || Queues > 65536) begin : g_chk_queues
    $error("Queues must be 2 to 65536");
  end
`ifndef SYNTHESIS
  // An immediate assertion reads the one bit it needs; a property would copy all every clock.
  logic [Queues-1:0] inside_q;                     // a packet whose last cell has not come
  always_ff @(posedge clk_i) begin
    if (!rst_ni) inside_q <= '0;
    else if (enq) begin
      a_whole_packets: assert (enq_first_i == !inside_q[enq_queue_i]);
      inside_q[enq_queue_i] <= !enq_last_i;
    end
  end
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(deq_valid_i && deq_ready_o, Latency));
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni))
    $stable(cells_i));
`endif
endmodule : cell_buffer
`resetall
