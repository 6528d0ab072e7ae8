// SPDX-License-Identifier: Apache-2.0
// Free list of numbered slots: one is taken and one given back every clock. Slots that came back go
// out again first, the one that waits longest before the others; while none waits, the smallest
// number never used. A slot given back in a clock can be taken from the next one on.
// Leaves out: slots lost to errors, and their recovery.
`default_nettype none
`include "sluice_fault.svh"
module free_list #(
  /// Slots, a power of two: 4 to 2^24.
  parameter int unsigned Slots = 1024,
  /// Number of the first of this module's five faults in the list of the block around it.
  parameter int unsigned FirstFault = 1,
  localparam int unsigned SlotBits = $clog2(Slots)
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [SlotBits:0]   limit_i,        // slots in use, 1 to Slots; at rest
  output logic                     ready_o,        // a slot is there
  output logic [SlotBits-1:0]      slot_o,         // the one a take gets
  input  wire logic                take_i,         // only while ready
  input  wire logic                give_valid_i,
  input  wire logic [SlotBits-1:0] give_slot_i,
  output logic [SlotBits:0]        used_o          // slots taken and not given back
);
  `SLUICE_FAULT_DECL
  // Slots that came back wait in a ring. The memory is read one clock ahead: head_q is its oldest.
  logic [SlotBits-1:0] ring [Slots];
  logic [SlotBits-1:0] read_q, write_q, read_d, head_q;
  logic [SlotBits:0]   fresh_q, waiting_q, waiting_d;   // smallest number never used; slots in ring
  logic [SlotBits-1:0] last;
  logic                from_ring, take_ring, take_fresh, into_empty;

  assign last       = SlotBits'(limit_i - 1'b1);
  assign from_ring  = `SLUICE_FAULT(FirstFault, waiting_q != '0, fresh_q == limit_i);
  assign take_ring  = take_i && from_ring;
  assign take_fresh = take_i && !from_ring;
  assign ready_o    = waiting_q != '0
                      || `SLUICE_FAULT(FirstFault + 1, fresh_q < limit_i, fresh_q <= limit_i);
  assign slot_o     = from_ring ? head_q : fresh_q[SlotBits-1:0];
  assign used_o     = fresh_q - waiting_q;

  always_comb begin
    read_d = read_q;
    if (take_ring) begin
      read_d = (read_q == `SLUICE_FAULT(FirstFault + 2, last, last - 1'b1)) ? '0 : read_q + 1'b1;
    end
    waiting_d = waiting_q;
    if (take_ring) waiting_d -= 1'b1;
    if (`SLUICE_FAULT(FirstFault + 3, give_valid_i, give_valid_i && !take_ring)) waiting_d += 1'b1;
  end
  // What the ring's memory does not hold yet.
  assign into_empty = `SLUICE_FAULT(FirstFault + 4, give_valid_i && write_q == read_d, 1'b0);

  always_ff @(posedge clk_i) begin
    if (give_valid_i) ring[write_q] <= give_slot_i;
    head_q <= into_empty ? give_slot_i : ring[read_d];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q    <= '0;
      write_q   <= '0;
      fresh_q   <= '0;
      waiting_q <= '0;
    end else begin
      read_q    <= read_d;
      waiting_q <= waiting_d;
      if (give_valid_i) write_q <= (write_q == last) ? '0 : write_q + 1'b1;
      if (take_fresh) fresh_q <= fresh_q + 1'b1;
    end
  end

  if (Slots < 4 || Slots > 16777216 || (Slots & (Slots - 1)) != 0) begin : g_chk_slots
    $error("Slots must be a power of two, 4 to 2^24");
  end
  if (FirstFault == 0) begin : g_chk_fault
    $error("FirstFault counts from 1");
  end
`ifndef SYNTHESIS
  // Immediate assertions read the array where it is; a property would copy it every clock.
  logic taken [Slots];                                  // of slots below fresh_q
  always_ff @(posedge clk_i) begin
    if (rst_ni && give_valid_i) begin
      a_give: assert ({1'b0, give_slot_i} < fresh_q && taken[give_slot_i]);
      taken[give_slot_i] <= 1'b0;
    end
    if (rst_ni && take_i) begin
      a_take_once: assert (!take_ring || !taken[slot_o]);
      taken[slot_o] <= 1'b1;
    end
  end
  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> ready_o);
`endif
endmodule : free_list
`resetall
