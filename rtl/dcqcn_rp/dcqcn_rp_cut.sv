// SPDX-License-Identifier: Apache-2.0
// What a cut of DCQCN makes of a rate: alpha / 2^shift off, rounded in the rate's favour, not below
// a share of the rate nor the lowest rate. Leaves out: when to cut.
`default_nettype none
`include "sluice_fault.svh"
module dcqcn_rp_cut (
  input  wire logic [3:0]  cfg_cut_shift_i,
  input  wire logic [6:0]  cfg_min_decrease_percent_i,
  input  wire logic [31:0] cfg_min_kbps_i,
  input  wire logic [31:0] rate_i,
  input  wire logic [30:0] alpha_i,                     // Q30
  output logic [31:0]      rate_o
);
  `SLUICE_FAULT_DECL
  logic [62:0] rate_alpha;
  logic [31:0] cut_by, cut_left, cut_floor;
  logic [38:0] share;
  logic [78:0] share_of_100;
  always_comb begin
    rate_alpha = {31'b0, rate_i} * {32'b0, alpha_i};
    cut_by     = 32'(rate_alpha >> (6'd30 + {2'b0, cfg_cut_shift_i}));
    cut_left   = rate_i - cut_by;
    share      = {7'b0, rate_i} * {32'b0, cfg_min_decrease_percent_i};
    // Division by 100, exact below 2^39: 703687441777 = ceil(2^46 / 100).
    share_of_100 = {40'b0, share} * 79'd703687441777;
    cut_floor  = share_of_100[77:46];
    rate_o     = cut_left;
    if (cut_floor > rate_o) rate_o = cut_floor;
    if (`SLUICE_FAULT(12, cfg_min_kbps_i > rate_o, 1'b0)) rate_o = cfg_min_kbps_i;
  end
  logic unused;
  assign unused = &{1'b0, share_of_100[78], share_of_100[45:0]};
endmodule : dcqcn_rp_cut
`resetall
