// SPDX-License-Identifier: Apache-2.0
// Which event of a flow at DCQCN's reaction point is next, and whether it is due: a cut that waits
// for its time, an increase by the timer, an update of alpha. Leaves out: what they do.
`default_nettype none
`include "sluice_fault.svh"
module dcqcn_rp_next (
  input  wire logic [63:0] now_i,
  input  wire logic [63:0] horizon_i,       // cuts and increases before it are due
  input  wire logic        catches_up_i,    // with those; else alpha is looked at now
  input  wire logic        pending_i,       // a cut waits for next_cut_i
  input  wire logic        below_max_i,     // the rate may still rise
  input  wire logic [63:0] next_cut_i,
  input  wire logic [63:0] next_increase_i,
  input  wire logic [63:0] next_alpha_i,
  output logic [63:0]      cut_at_o,
  output logic             cut_first_o,
  output logic             due_o,
  output logic [63:0]      alpha_until_o,
  output logic             alpha_due_o
);
  `SLUICE_FAULT_DECL
  localparam logic [63:0] Never = {64{1'b1}};
  logic [63:0] increase_at;
  always_comb begin
    cut_at_o      = pending_i ? next_cut_i : Never;
    increase_at   = below_max_i ? next_increase_i : Never;
    cut_first_o   = `SLUICE_FAULT(8, cut_at_o <= increase_at, cut_at_o < increase_at);
    due_o         = (cut_first_o ? cut_at_o : increase_at) < horizon_i;
    // Alpha as a cut sees it includes the update at that very time.
    alpha_until_o = catches_up_i ? `SLUICE_FAULT(9, cut_at_o + 64'd1, cut_at_o) : now_i;
    alpha_due_o   = next_alpha_i < alpha_until_o;
  end
endmodule : dcqcn_rp_next
`resetall
