// SPDX-License-Identifier: Apache-2.0
// Transmit MAC of one port: starts the frames handed to it, preamble, frame and gap byte for byte
// at the line rate, which is a rational number of bytes a clock. Takes the cells of a frame when
// their first byte is due. Leaves out: FCS, PCS, PFC frames.
`default_nettype none
`include "sluice_fault.svh"
module slice_mac #(
  /// Units that pass in a clock, and units of a byte: 151 / 2 B are 800 Gb/s in clocks of 755 ps.
  parameter int unsigned ClockUnits = 151,
  parameter int unsigned ByteUnits  = 2,
  parameter int unsigned CellBytes  = 512
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  // The next frame. `fresh`: the wire was idle before; it starts with `token`, not before.
  input  wire logic                frame_valid_i,
  input  wire logic                frame_fresh_i,
  input  wire logic [13:0]         frame_bytes_i,
  input  wire logic [4:0]          frame_cells_i,
  output logic                     frame_take_o,
  input  wire logic                token_i,
  // The next cell, its first one at the start.
  input  wire logic                cell_valid_i,
  output logic                     cell_take_o,
  output logic                     underrun_o      // a cell is due and not there
);
  `SLUICE_FAULT_DECL
  localparam int unsigned UnitBits = 24;
  typedef logic signed [UnitBits-1:0] units_t;
  localparam logic signed [UnitBits-1:0] Clock    = UnitBits'(ClockUnits);
  localparam logic signed [UnitBits-1:0] Cell     = UnitBits'(CellBytes * ByteUnits);
  localparam logic signed [UnitBits-1:0] Preamble = UnitBits'(8 * ByteUnits);
  localparam int unsigned Overhead = 8 + 12;       // preamble and gap

  units_t      left_q, left_now, base, due_q, wire_units;
  logic [4:0]  more_q;                             // cells of the frame not taken
  logic [5:0]  tokens_q;
  logic        start, token_there;

  assign wire_units  = (UnitBits'(frame_bytes_i) + UnitBits'(`SLUICE_FAULT(106, Overhead, 8)))
                       * UnitBits'(ByteUnits);
  assign token_there = token_i || tokens_q != '0;
  // A frame in flight whose end lies in this clock lets the next one start in it.
  assign start = frame_valid_i && cell_valid_i && left_q < Clock && more_q == '0
                 && `SLUICE_FAULT(107, !frame_fresh_i || token_there, 1'b1);
  assign base     = `SLUICE_FAULT(108, left_q, '0);   // 0 when the wire was idle
  assign left_now = start ? base + wire_units : left_q;
  assign frame_take_o = start;
  assign cell_take_o  = start || (more_q != '0 && due_q < Clock && cell_valid_i);
  assign underrun_o   = more_q != '0 && due_q < Clock && !cell_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q   <= '0;
      due_q    <= '0;
      more_q   <= '0;
      tokens_q <= '0;
    end else begin
      left_q <= left_now < Clock ? '0 : left_now - Clock;
      if (start)            due_q <= base + Preamble + Cell - Clock;
      else if (cell_take_o) due_q <= due_q + Cell - Clock;
      else if (!underrun_o) due_q <= due_q - Clock;
      if (start)            more_q <= frame_cells_i - 1'b1;
      else if (cell_take_o) more_q <= more_q - 1'b1;
      tokens_q <= tokens_q + {5'b0, token_i} - {5'b0, start && frame_fresh_i};
    end
  end
`ifndef SYNTHESIS
  a_tokens: assert property (@(posedge clk_i) disable iff (!rst_ni) tokens_q != 6'd63);
`endif
endmodule : slice_mac
`resetall
