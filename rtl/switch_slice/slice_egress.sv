// SPDX-License-Identifier: Apache-2.0
// Egress side of one port: eight queues of packets, the choice of the next one in step with the
// wire, its mark, its cells, the MAC. Leaves out: shapers, multicast, PFC
// frames of its own.
//
//   queues -> choice [scheduler when two compete] -> mark -> cells fetched -> MAC, EgressDelay later
//
// A choice belongs to the clock in which the wire could take a frame (`owed_q` is what the wire still
// owes, in units of 1/ByteUnits B); the frame starts EgressDelay clocks later, whatever the scheduler, the
// marker and the memory took of them. A choice that comes late, because the one before took the
// scheduler longer than the wire, is owed: it is made among what waited when the wire was free
// (`young`: packets that came later), so that neither order nor times depend on the scheduler's
// latency. One candidate needs no choice (switch/datapath.cpp).
`default_nettype none
`include "sluice_fault.svh"
module slice_egress #(
  parameter int unsigned Packets     = 4096,       // of each queue, as many as the buffer has cells
  parameter int unsigned EgressDelay = 64,
  parameter int unsigned ReleaseLead = 12,         // clocks that admission is ahead of the choice
  parameter int unsigned ClockUnits  = 151,
  parameter int unsigned ByteUnits   = 2,
  parameter int unsigned CellBytes   = 512,
  localparam int unsigned DescBits  = 11           // ingress port, PG, cells, ECT
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  // An admitted packet.
  input  wire logic                push_i,
  input  wire logic [2:0]          push_queue_i,
  input  wire logic [13:0]         push_bytes_i,
  input  wire logic [DescBits-1:0] push_desc_i,
  // Queues that the peer has paused: a frame that has been chosen is sent whole.
  input  wire logic [7:0]          paused_i,
  // To the scheduler, and its answers to this port's choices.
  output logic                     sched_valid_o,
  output logic                     sched_emptied_o,
  output logic [2:0]               sched_queue_o,
  output logic [7:0]               sched_waiting_o,
  output logic [8*14-1:0]          sched_heads_o,
  input  wire logic                sched_take_i,
  input  wire logic                chosen_i,
  input  wire logic [2:0]          chosen_queue_i,
  // To the marker, and its answers to this port's packets.
  output logic                     mark_valid_o,
  output logic [2:0]               mark_queue_o,
  output logic [31:0]              mark_depth_o,
  output logic                     mark_ect_o,
  input  wire logic                mark_take_i,
  input  wire logic                marked_valid_i,
  input  wire logic                marked_i,
  // A cell is wanted from the list of an ingress port and queue; cells come back in order.
  output logic                     fetch_valid_o,
  output logic [1:0]               fetch_port_o,
  output logic [2:0]               fetch_queue_o,
  input  wire logic                fetch_take_i,
  input  wire logic                cell_valid_i,
  input  wire logic [521:0]        cell_i,         // bytes, word
  // Cells given back: ingress port, PG, queue, cells.
  output logic                     done_valid_o,
  output logic                     done_late_o,    // behind the clock that the frame's time names
  output logic [12:0]              done_o,
  input  wire logic                done_take_i,
  // The wire, a word a cell.
  output logic                     out_valid_o,
  output logic                     out_first_o,
  output logic                     out_last_o,
  output logic [9:0]               out_bytes_o,
  output logic [511:0]             out_word_o,
  output logic                     underrun_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned UnitBits  = 24;
  localparam int unsigned FifoBits  = 6;           // frames between choice and wire
  localparam int unsigned CellsBits = 3;           // cells fetched ahead
  localparam int unsigned Late      = EgressDelay; // clocks that a choice may be late
  localparam int unsigned LateBits  = $clog2(Late);
  typedef logic signed [UnitBits-1:0] units_t;
  localparam logic signed [UnitBits-1:0] Clock = UnitBits'(ClockUnits);
  localparam int unsigned Overhead = 8 + 12;       // preamble and gap

  // Queues.
  localparam int unsigned PacketBits = $clog2(Packets);
  logic [7:0]            push, pop, waits;
  logic [8*(PacketBits+1)-1:0] packets;
  logic [8*DescBits-1:0] descs;
  logic [8*14-1:0]       heads;
  logic [8*32-1:0]       depths;
  for (genvar q = 0; q < 8; q++) begin : gen_queue
    assign push[q] = push_i && push_queue_i == 3'(q);
    slice_queue #(.Packets(Packets), .DescBits(DescBits)) u_queue (
      .clk_i, .rst_ni, .push_i(push[q]), .push_desc_i, .push_bytes_i, .pop_i(pop[q]),
      .waits_o(waits[q]), .packets_o(packets[q*(PacketBits+1) +: PacketBits+1]), .desc_o(descs[q*DescBits +: DescBits]),
      .bytes_o(heads[q*14 +: 14]), .depth_o(depths[q*32 +: 32]));
  end

  // Choice. What the queues held in the clock of the choice is kept for an answer that comes later.
  units_t          owed_q, owed_d, wire_units;
  logic            fresh_q, told_q;                // the wire is idle; its token is on the way
  logic            out_q, asking_q, contended_q;   // a choice is with the scheduler, or before it
  logic            emptied_q;
  logic [2:0]      emptied_queue_q;
  logic [7:0]      waits_q, paused, open, could;
  logic            waiting_q;                      // a choice could be made, and has not been
  logic [7:0]      paused_q;                       // in the clock of that choice
  logic            may, one, pick, ask, decided, token, empties, room, free, late;
  logic [2:0]      only, queue;
  logic [13:0]     bytes;
  logic [31:0]     depth;
  logic [FifoBits:0] ahead_q;                      // frames chosen that have not started
  logic            d_valid_q, d_fresh_q;           // chosen, not yet with the marker
  logic [2:0]      d_queue_q;
  logic [13:0]     d_bytes_q;
  logic [31:0]     d_depth_q;
  logic [DescBits-1:0] d_desc_q;

  // Packets that came in the last clocks, [i]: in sight for i clocks; young: since the wire is free.
  logic [Late-1:0]      came_q, young;
  logic [2:0]           came_queue_q [Late];
  logic [13:0]          came_bytes_q [Late];
  logic [7:0]           old;                       // queues that held a packet when it became free
  logic [LateBits-1:0]  oldest;                    // of the young ones
  logic [31:0]          young_bytes;               // in the chosen queue
  logic [PacketBits:0]  young_packets;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) came_q <= '0;
    else         came_q <= {came_q[Late-2:0], push_i};
  end
  always_ff @(posedge clk_i) begin
    came_queue_q[0] <= push_queue_i;
    came_bytes_q[0] <= push_bytes_i;
    for (int i = 1; i < Late; i++) begin
      came_queue_q[i] <= came_queue_q[i-1];
      came_bytes_q[i] <= came_bytes_q[i-1];
    end
  end
  for (genvar i = 0; i < Late; i++) begin : gen_young
    localparam logic signed [UnitBits-1:0] Passed = UnitBits'(i * ClockUnits);
    assign young[i] = came_q[i] && owed_q < -Passed;
  end
  for (genvar q = 0; q < 8; q++) begin : gen_old
    logic [PacketBits:0] younger;
    always_comb begin
      younger = '0;
      for (int i = 0; i < Late; i++) begin
        if (young[i] && came_queue_q[i] == 3'(q)) younger = younger + 1'b1;
      end
    end
    assign old[q] = packets[q*(PacketBits+1) +: PacketBits+1] > younger;
  end
  always_comb begin
    oldest        = '0;
    young_bytes   = '0;
    young_packets = '0;
    for (int i = 0; i < Late; i++) begin
      if (young[i] && !paused[came_queue_q[i]]) oldest = LateBits'(i);
      if (young[i] && came_queue_q[i] == queue) begin
        young_bytes   = young_bytes + {18'b0, came_bytes_q[i]};
        young_packets = young_packets + 1'b1;
      end
    end
  end

  // A choice that waits for its turn is made by the pauses of its own clock.
  assign paused = waiting_q ? paused_q : `SLUICE_FAULT(122, paused_i, 8'b0);
  assign open   = old & ~paused;                   // may be chosen
  assign could  = waits & ~paused;                 // the young ones too
  always_ff @(posedge clk_i) begin
    if (!rst_ni) waiting_q <= 1'b0;
    else         waiting_q <= free && could != '0 && !decided && !ask;
  end
  always_ff @(posedge clk_i) paused_q <= paused;

  assign room = (!d_valid_q || mark_take_i) && !ahead_q[FifoBits];
  assign free = owed_q < Clock && !out_q;
  assign late = free && open == '0 && could != '0; // the wire was idle until the oldest came
  assign may  = room && free;
  assign one  = (open & (open - 8'd1)) == '0;
  // What becomes empty is told in the order of choices: one such message waits, not two.
  assign pick = may && !emptied_q && open != '0 && `SLUICE_FAULT(109, one, 1'b1);
  assign ask  = may && open != '0 && !`SLUICE_FAULT(109, one, 1'b1);
  always_comb begin
    only = '0;
    for (int unsigned q = 0; q < 8; q++) if (open[q]) only = 3'(q);
  end
  assign decided = pick || (out_q && chosen_i);
  assign queue   = pick ? only : chosen_queue_i;
  assign bytes   = heads[32'(queue)*14 +: 14];
  assign empties = packets[32'(queue)*(PacketBits+1) +: PacketBits+1] == young_packets + 1'b1;
  assign depth   = depths[32'(queue)*32 +: 32] - young_bytes - `SLUICE_FAULT(110, {18'b0, bytes}, 32'd0);
  assign token   = late || (fresh_q && could != '0 && !told_q);
  assign wire_units = (UnitBits'(bytes) + UnitBits'(`SLUICE_FAULT(106, Overhead, 8)))
                      * UnitBits'(ByteUnits);
  always_comb begin
    pop = '0;
    pop[queue] = decided;
    if (decided)                                     owed_d = owed_q + wire_units - Clock;
    else if (free && could == '0)                    owed_d = '0;
    else if (late)                                   owed_d = '0 - (UnitBits'(oldest) * Clock) - Clock;
    else                                             owed_d = owed_q - Clock;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q      <= '0;
      fresh_q     <= 1'b1;
      told_q      <= 1'b0;
      out_q       <= 1'b0;
      asking_q    <= 1'b0;
      contended_q <= 1'b0;
      emptied_q   <= 1'b0;
      d_valid_q   <= 1'b0;
    end else begin
      owed_q <= owed_d;
      if (decided)                                      {fresh_q, told_q} <= 2'b00;
      else if (free && could == '0)                     {fresh_q, told_q} <= 2'b10;
      else if (token)                                   {fresh_q, told_q} <= 2'b11;
      if (ask)                    {out_q, contended_q} <= 2'b11;
      else if (out_q && chosen_i) out_q <= 1'b0;
      asking_q <= (ask || asking_q) && (emptied_q || !sched_take_i);
      if (decided && empties && contended_q) emptied_q <= `SLUICE_FAULT(111, 1'b1, 1'b0);
      else if (emptied_q && sched_take_i)    emptied_q <= 1'b0;
      if (decided)          d_valid_q <= 1'b1;
      else if (mark_take_i) d_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (ask) waits_q <= open;
    if (decided) begin
      emptied_queue_q <= queue;
      {d_queue_q, d_bytes_q, d_depth_q, d_fresh_q} <= {queue, bytes, depth, fresh_q};
      d_desc_q <= descs[32'(queue)*DescBits +: DescBits];
    end
  end
  assign sched_valid_o   = ask || asking_q || emptied_q;
  assign sched_emptied_o = emptied_q;
  assign sched_queue_o   = emptied_queue_q;
  assign sched_waiting_o = asking_q ? waits_q : open;
  for (genvar q = 0; q < 8; q++) begin : gen_head
    assign sched_heads_o[q*14 +: 14] = heads[q*14 +: 14] + 14'(Overhead);
  end
  assign mark_valid_o = d_valid_q;
  assign mark_queue_o = d_queue_q;
  assign mark_depth_o = d_depth_q;
  assign mark_ect_o   = d_desc_q[0];

  // Tokens: a frame that finds the wire idle starts EgressDelay clocks later.
  logic [EgressDelay-1:0] tokens_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) tokens_q <= '0;
    else         tokens_q <= {tokens_q[EgressDelay-2:0], 1'b0}
                             | ({{(EgressDelay-1){1'b0}}, token} << (late ? oldest : LateBits'(0)));
  end

  // Frames between choice and wire: read once for their cells and once for the MAC.
  localparam int unsigned FrameBits = 1 + 3 + 14 + DescBits;
  logic [FrameBits-1:0] frames [2**FifoBits];
  logic                 marks [2**FifoBits];
  logic [FifoBits:0]    frame_write_q, frame_fetch_q, frame_mac_q, mark_write_q;
  logic [FrameBits-1:0] mac_frame;
  logic [1:0]           fetch_port;
  logic [4:0]           fetch_cells;
  logic                 mac_take, mac_marked;
  always_ff @(posedge clk_i) begin
    if (mark_take_i) begin
      frames[frame_write_q[FifoBits-1:0]] <= {d_fresh_q, d_queue_q, d_bytes_q, d_desc_q};
    end
    if (marked_valid_i) marks[mark_write_q[FifoBits-1:0]] <= marked_i;
  end
  assign fetch_queue_o = frames[frame_fetch_q[FifoBits-1:0]][DescBits+14 +: 3];
  assign fetch_port    = frames[frame_fetch_q[FifoBits-1:0]][10:9];
  assign fetch_cells   = frames[frame_fetch_q[FifoBits-1:0]][5:1];
  assign mac_frame   = frames[frame_mac_q[FifoBits-1:0]];
  assign mac_marked  = marks[frame_mac_q[FifoBits-1:0]];

  // Cells are fetched ahead as far as there is room for them.
  logic [4:0]         fetched_q;                   // cells of the frame that have been asked for
  logic [CellsBits:0] credit_q;
  logic               last_fetch, cell_take;
  assign fetch_valid_o = frame_fetch_q != frame_write_q && credit_q != '0;
  assign fetch_port_o  = fetch_port;
  assign last_fetch    = fetched_q + 5'd1 == fetch_cells;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {frame_write_q, frame_fetch_q, frame_mac_q, mark_write_q} <= '0;
      ahead_q   <= '0;
      fetched_q <= '0;
      credit_q  <= (CellsBits+1)'(2**CellsBits);
    end else begin
      if (mark_take_i) frame_write_q <= frame_write_q + 1'b1;
      if (marked_valid_i) mark_write_q <= mark_write_q + 1'b1;
      if (mac_take) frame_mac_q <= frame_mac_q + 1'b1;
      ahead_q <= ahead_q + {{FifoBits{1'b0}}, decided} - {{FifoBits{1'b0}}, mac_take};
      if (fetch_take_i) begin
        fetched_q <= last_fetch ? '0 : fetched_q + 1'b1;
        if (last_fetch) frame_fetch_q <= frame_fetch_q + 1'b1;
      end
      credit_q <= credit_q + {{CellsBits{1'b0}}, cell_take} - {{CellsBits{1'b0}}, fetch_take_i};
    end
  end

  logic [521:0]       cells [2**CellsBits];
  logic [CellsBits:0] cell_read_q, cell_write_q;
  logic [521:0]       cell_word;
  assign cell_word = cells[cell_read_q[CellsBits-1:0]];
  always_ff @(posedge clk_i) begin
    if (cell_valid_i) cells[cell_write_q[CellsBits-1:0]] <= cell_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {cell_read_q, cell_write_q} <= '0;
    else begin
      if (cell_valid_i) cell_write_q <= cell_write_q + 1'b1;
      if (cell_take)    cell_read_q <= cell_read_q + 1'b1;
    end
  end

  slice_mac #(.ClockUnits(ClockUnits), .ByteUnits(ByteUnits), .CellBytes(CellBytes)) u_mac (
    .clk_i, .rst_ni,
    .frame_valid_i(frame_mac_q != mark_write_q), .frame_fresh_i(mac_frame[FrameBits-1]),
    .frame_bytes_i(mac_frame[DescBits +: 14]), .frame_cells_i(mac_frame[5:1]),
    .frame_take_o(mac_take), .token_i(tokens_q[EgressDelay-1]),
    .cell_valid_i(cell_read_q != cell_write_q), .cell_take_o(cell_take), .underrun_o);

  // The MMU gets a frame's cells back when its time on the wire is over, as far as the choice goes.
  // Admission has its heads ReleaseLead clocks before the choice has them as packets: so much
  // earlier, or, of a frame that is shorter, as soon as it is chosen.
  localparam logic signed [UnitBits-1:0] Lead  = UnitBits'(ReleaseLead * ClockUnits);
  logic        held_q;
  logic [12:0] held_word_q, chosen_word;
  units_t      done_owed;
  assign chosen_word  = {descs[32'(queue)*DescBits + 6 +: 5], queue,
                         descs[32'(queue)*DescBits + 1 +: 5]};
  assign done_owed    = held_q ? owed_q : owed_d + Clock;
  assign done_valid_o = (held_q || decided)
                        && `SLUICE_FAULT(119, done_owed < `SLUICE_FAULT(118, Lead, Clock), 1'b1);
  assign done_o       = held_q ? held_word_q : chosen_word;
  assign done_late_o  = done_owed < Lead - Clock;
  always_ff @(posedge clk_i) begin
    if (!rst_ni)      held_q <= 1'b0;
    else if (decided) held_q <= held_q || !done_take_i;
    else              held_q <= held_q && !done_take_i;
  end
  always_ff @(posedge clk_i) if (decided) held_word_q <= chosen_word;

  // The wire. A marked packet gets CE, and its IPv4 checksum follows (RFC 1624, eqn. 3).
  logic [511:0] word;
  logic [15:0]  old_sum, old_field, new_field, new_sum;
  logic [17:0]  sum;
  logic [16:0]  folded;
  assign old_field = {cell_word[14*8 +: 8], cell_word[15*8 +: 8]};
  assign new_field = {old_field[15:2], 2'b11};
  assign old_sum   = {cell_word[24*8 +: 8], cell_word[25*8 +: 8]};
  assign sum       = {2'b0, ~old_sum} + {2'b0, ~old_field} + {2'b0, new_field};
  assign folded    = {1'b0, sum[15:0]} + {15'b0, sum[17:16]};
  assign new_sum   = ~(folded[15:0] + {15'b0, folded[16]});
  always_comb begin
    word = cell_word[511:0];
    if (mac_take && mac_marked) begin
      word[15*8 +: 8] = new_field[7:0];
      word[24*8 +: 8] = `SLUICE_FAULT(112, new_sum[15:8], old_sum[15:8]);
      word[25*8 +: 8] = `SLUICE_FAULT(112, new_sum[7:0], old_sum[7:0]);
    end
  end
  logic [4:0] left_q;                              // cells of the frame on the wire
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= cell_take;
  end
  always_ff @(posedge clk_i) begin
    if (cell_take) begin
      out_first_o <= mac_take;
      out_last_o  <= mac_take ? mac_frame[5:1] == 5'd1 : left_q == 5'd1;
      left_q      <= (mac_take ? mac_frame[5:1] : left_q) - 5'd1;
      out_bytes_o <= cell_word[521:512];
      out_word_o  <= word;
    end
  end
`ifndef SYNTHESIS
  a_given_back: assert property (@(posedge clk_i) disable iff (!rst_ni)
    decided |-> !held_q || done_take_i);
  a_cells: assert property (@(posedge clk_i) disable iff (!rst_ni)
    cell_valid_i |-> (cell_write_q - cell_read_q) != (CellsBits+1)'(2**CellsBits));
  a_no_underrun: assert property (@(posedge clk_i) disable iff (!rst_ni) !underrun_o);
`endif
endmodule : slice_egress
`resetall
