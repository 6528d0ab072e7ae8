// SPDX-License-Identifier: Apache-2.0
// An increase of DCQCN, by the timer or by the byte counter: fast recovery, additive or hyper
// increase of the target, and the rate half way to it. Leaves out: when it is due.
`default_nettype none
`include "sluice_fault.svh"
module dcqcn_rp_raise (
  input  wire logic        cfg_nvidia_i,                // else the paper's algorithm
  input  wire logic        cfg_byte_counter_i,          // there is one
  input  wire logic [15:0] cfg_fast_recovery_stages_i,
  input  wire logic [31:0] cfg_ai_kbps_i,
  input  wire logic [31:0] cfg_hai_kbps_i,
  input  wire logic [31:0] cfg_max_kbps_i,
  input  wire logic        by_bytes_i,                  // else by the timer
  input  wire logic [15:0] timer_stage_i,
  input  wire logic [15:0] byte_stage_i,
  input  wire logic [31:0] rate_i,
  input  wire logic [31:0] target_i,
  output logic [15:0]      stage_o,                     // of what it is by, this event counted
  output logic [31:0]      rate_o,
  output logic [31:0]      target_o
);
  `SLUICE_FAULT_DECL
  logic        timer_only, hyper;
  logic [15:0] stage, timer_seen, byte_seen, least, most;
  logic [47:0] hyper_step;
  logic [48:0] raised;
  logic [32:0] middle;
  always_comb begin
    stage      = by_bytes_i ? byte_stage_i : timer_stage_i;
    stage_o    = &stage ? stage : stage + 16'd1;
    timer_seen = timer_stage_i;
    byte_seen  = byte_stage_i;
    // The paper counts the event before it looks at the stages, NVIDIA's after.
    if (`SLUICE_FAULT(3, !cfg_nvidia_i, 1'b0)) begin
      if (by_bytes_i) byte_seen = stage_o;
      else            timer_seen = stage_o;
    end
    timer_only = cfg_nvidia_i && !cfg_byte_counter_i;
    least      = timer_seen < byte_seen || timer_only ? timer_seen : byte_seen;
    most       = timer_seen > byte_seen ? timer_seen : byte_seen;
    hyper      = `SLUICE_FAULT(4, least > cfg_fast_recovery_stages_i,
                               least >= cfg_fast_recovery_stages_i);
    hyper_step = {32'b0, cfg_nvidia_i ? 16'd1 : least - cfg_fast_recovery_stages_i}
                 * {16'b0, cfg_hai_kbps_i};
    raised     = {17'b0, target_i};
    if (most >= cfg_fast_recovery_stages_i) begin
      raised = raised + (hyper ? {1'b0, hyper_step} : {17'b0, cfg_ai_kbps_i});
    end
    target_o = `SLUICE_FAULT(5, raised > {17'b0, cfg_max_kbps_i}, 1'b0) ? cfg_max_kbps_i
                                                                        : raised[31:0];
    // Rounded up, so that the rate reaches its target.
    middle   = {1'b0, rate_i} + {1'b0, target_o} + `SLUICE_FAULT(6, 33'd1, 33'd0);
    rate_o   = middle[32:1];
  end
  logic unused;
  assign unused = &{1'b0, raised[48:32], middle[0]};
endmodule : dcqcn_rp_raise
`resetall
