// SPDX-License-Identifier: Apache-2.0
// What every port of egress_scheduler remembers of its rounds: deficits, whose turn it is and
// whether that queue has had its quantum. Read while a request enters the last stage, forwarded
// from there; in a stall the stage's own result comes back. Leaves out: the round
// (scheduler_round).
`default_nettype none
`include "sluice_fault.svh"
module scheduler_state #(
  parameter int unsigned Ports = 256,
  localparam int unsigned Lanes       = 8,
  localparam int unsigned PortBits    = $clog2(Ports),
  localparam int unsigned DeficitBits = 24
) (
  input  wire logic                         clk_i,
  input  wire logic                         clear_i,
  input  wire logic [PortBits-1:0]          clear_port_i,
  input  wire logic                         stall_i,
  input  wire logic [PortBits-1:0]          next_port_i,    // of the request that comes in
  input  wire logic                         same_port_i,    // it is that of the one in the stage
  input  wire logic                         write_i,
  input  wire logic [PortBits-1:0]          port_i,
  input  wire logic [Lanes*DeficitBits-1:0] deficits_i,     // after the request in the stage
  input  wire logic [2:0]                   turn_i,
  input  wire logic                         granted_i,
  output logic [Lanes*DeficitBits-1:0]      deficits_o,     // before it
  output logic [2:0]                        turn_o,
  output logic                              granted_o
);
  `SLUICE_FAULT_DECL
  logic [3:0] turns [Ports];
  logic [3:0] next_turn;
  assign next_turn = `SLUICE_FAULT(4, same_port_i, 1'b0) ? {turn_i, granted_i} : turns[next_port_i];
  always_ff @(posedge clk_i) begin
    if (clear_i) turns[clear_port_i] <= '0;
    else if (write_i) turns[port_i] <= {turn_i, granted_i};
    if (stall_i) {turn_o, granted_o} <= {turn_i, granted_i};
    else         {turn_o, granted_o} <= next_turn;
  end

  for (genvar q = 0; q < Lanes; q++) begin : gen_deficit
    logic [DeficitBits-1:0] store [Ports];
    always_ff @(posedge clk_i) begin
      if (clear_i) store[clear_port_i] <= '0;
      else if (write_i) store[port_i] <= deficits_i[q*DeficitBits +: DeficitBits];
      if (stall_i || same_port_i) begin
        deficits_o[q*DeficitBits +: DeficitBits] <= deficits_i[q*DeficitBits +: DeficitBits];
      end else begin
        deficits_o[q*DeficitBits +: DeficitBits] <= store[next_port_i];
      end
    end
  end
endmodule : scheduler_state
`resetall
