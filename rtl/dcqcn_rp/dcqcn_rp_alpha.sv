// SPDX-License-Identifier: Apache-2.0
// DCQCN's alpha one period on, with and without a CNP in it; what comes off is rounded up, so that
// alpha reaches 0. Leaves out: when a period ends.
`default_nettype none
`include "sluice_fault.svh"
module dcqcn_rp_alpha (
  input  wire logic [9:0]  cfg_alpha_gain_i,    // in 1/1024
  input  wire logic [30:0] alpha_i,             // Q30
  output logic [30:0]      decayed_o,
  output logic [30:0]      raised_o
);
  `SLUICE_FAULT_DECL
  logic [40:0] gain;
  assign gain      = {10'b0, alpha_i} * {31'b0, cfg_alpha_gain_i}
                     + `SLUICE_FAULT(2, 41'd1023, 41'd0);
  assign decayed_o = alpha_i - gain[40:10];
  assign raised_o  = decayed_o + {1'b0, cfg_alpha_gain_i, 20'b0};
  logic unused;
  assign unused = &{1'b0, gain[9:0]};
endmodule : dcqcn_rp_alpha
`resetall
