// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point for all flows of a NIC in fixed point (models/nic/congestion/dcqcn.h): rates
// in kbit/s, alpha in Q30, timers caught up when a flow is asked for, one event a clock. Leaves out:
// requests of other flows while one is worked on; a NIC asks once a frame.
//
//   request -> Advance (cuts, alpha, timer) -> Act (the request, byte counter) -> Pace -> Answer
//                  |   Remainder: skip periods    |
//
// Clocks from request to response: Latency + out_steps_o + SkipClocks * out_skips_o
// + (out_paced_o ? PaceClocks : 0).
`default_nettype none
`include "sluice_fault.svh"
module dcqcn_rp #(
  /// Flows of the NIC, 2 to 65536.
  parameter int unsigned Flows /*verilator public*/ = 1024,
  localparam int unsigned Latency    = 4,
  localparam int unsigned PaceClocks = 29,   // two bits of the quotient a clock
  localparam int unsigned SkipClocks = 33,
  localparam int unsigned FlowBits   = $clog2(Flows)
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  // Configuration, stable out of reset: times in ps, rates in kbit/s.
  input  wire logic                cfg_nvidia_i,             // else the paper's algorithm
  input  wire logic [9:0]          cfg_alpha_gain_i,         // in 1/1024
  input  wire logic [10:0]         cfg_initial_alpha_i,      // in 1/1024
  input  wire logic [63:0]         cfg_alpha_period_i,
  input  wire logic [63:0]         cfg_rate_timer_i,
  input  wire logic [63:0]         cfg_cut_period_i,
  input  wire logic [30:0]         cfg_byte_counter_i,       // 0: none
  input  wire logic [15:0]         cfg_fast_recovery_stages_i,
  input  wire logic [31:0]         cfg_ai_kbps_i,
  input  wire logic [31:0]         cfg_hai_kbps_i,
  input  wire logic [31:0]         cfg_min_kbps_i,
  input  wire logic [31:0]         cfg_max_kbps_i,
  input  wire logic [31:0]         cfg_first_cnp_kbps_i,     // 0: an ordinary cut
  input  wire logic [3:0]          cfg_cut_shift_i,
  input  wire logic [6:0]          cfg_min_decrease_percent_i,
  input  wire logic                cfg_clamp_target_i,
  input  wire logic                cfg_clamp_after_timer_i,
  // Request.
  input  wire logic                in_valid_i,
  output logic                     in_ready_o,
  input  wire logic [2:0]          in_op_i,                  // Op…
  input  wire logic [FlowBits-1:0] in_flow_i,
  input  wire logic [31:0]         in_bytes_i,               // OpSent: on the wire
  input  wire logic [63:0]         in_now_i,
  // Response: the flow's state after it, and what it took.
  output logic                     out_valid_o,
  output logic                     out_limited_o,
  output logic [63:0]              out_interval_o,           // OpSent: to the flow's next frame
  output logic [31:0]              out_rate_o,
  output logic [31:0]              out_target_o,
  output logic [30:0]              out_alpha_o,
  output logic [31:0]              out_bytes_left_o,         // signed
  output logic [63:0]              out_next_alpha_o,
  output logic [63:0]              out_next_increase_o,
  output logic [63:0]              out_next_cut_o,
  output logic [56:0]              out_pace_o,               // ps per byte, Q.24
  output logic [15:0]              out_timer_stage_o,
  output logic [15:0]              out_byte_stage_o,
  output logic [4:0]               out_flags_o,              // as `flags`
  output logic [31:0]              out_steps_o,
  output logic [1:0]               out_skips_o,
  output logic                     out_paced_o
);
  `SLUICE_FAULT_DECL
  localparam logic [2:0] OpAdd = 3'd0, OpCnp = 3'd1, OpSent = 3'd2, OpRead = 3'd3, OpRtt = 3'd4;
  localparam int unsigned WordBits = 32 + 32 + 31 + 32 + 3 * 64 + 57 + 16 + 16 + 5;
  localparam logic [63:0] Never = {64{1'b1}};
  // 8e9 ps kbit/s per byte, 24 fraction bits, at the top of 64 bits but for 6 that are not needed.
  localparam logic [63:0] PaceDividend = 64'd8000000000 << 30;

  localparam logic [2:0] Idle = 3'd0, Advance = 3'd1, Act = 3'd2, Remainder = 3'd3, Pace = 3'd4,
                         Answer = 3'd5;

  // The flow at work.
  logic [31:0]        rate_q, target_q, rate_d, target_d;
  logic [30:0]        alpha_q, alpha_d;
  logic signed [31:0] bytes_left_q, bytes_left_d;
  logic [63:0]        next_alpha_q, next_increase_q, next_cut_q;
  logic [63:0]        next_alpha_d, next_increase_d, next_cut_d;
  logic [56:0]        pace_q;
  logic [15:0]        timer_stage_q, byte_stage_q, timer_stage_d, byte_stage_d;
  // flags: started, a CNP in this alpha period, cut pending, increased, by the byte counter.
  logic               started_q, seen_q, pending_q, increased_q, by_bytes_q;
  logic               started_d, seen_d, pending_d, increased_d, by_bytes_d;

  // The request.
  logic [2:0]          state_q, state_d, back_q;
  logic [2:0]          op_q;
  logic [FlowBits-1:0] flow_q;
  logic [31:0]         wire_q;
  logic [63:0]         now_q;
  logic                charged_q, charged_d;   // the frame was taken off the byte counter
  logic                renew_q, renew_d;       // the rate has changed
  logic [31:0]         steps_q;
  logic [1:0]          skips_q;
  logic                step, skip, skip_is_cut;

  logic [WordBits-1:0] flows [Flows];

  assign in_ready_o = state_q == Idle;

  // What a cut makes of the rate: alpha / 2^shift off, rounded in the rate's favour.
  logic [62:0] rate_alpha;
  logic [31:0] cut_by, cut_left, cut_floor, cut_rate;
  logic [38:0] share;
  logic [78:0] share_of_100;
  always_comb begin
    rate_alpha = {31'b0, rate_q} * {32'b0, alpha_q};
    cut_by     = 32'(rate_alpha >> (6'd30 + {2'b0, cfg_cut_shift_i}));
    cut_left   = rate_q - cut_by;
    share      = {7'b0, rate_q} * {32'b0, cfg_min_decrease_percent_i};
    // Division by 100, exact below 2^39: 703687441777 = ceil(2^46 / 100).
    share_of_100 = {40'b0, share} * 79'd703687441777;
    cut_floor  = share_of_100[77:46];
    cut_rate   = cut_left;
    if (cut_floor > cut_rate) cut_rate = cut_floor;
    if (`SLUICE_FAULT(12, cfg_min_kbps_i > cut_rate, 1'b0)) cut_rate = cfg_min_kbps_i;
  end

  // Alpha one period on; the product is rounded up.
  logic [40:0] alpha_gain;
  logic [30:0] alpha_decayed, gain_q30;
  assign alpha_gain    = {10'b0, alpha_q} * {31'b0, cfg_alpha_gain_i}
                         + `SLUICE_FAULT(2, 41'd1023, 41'd0);
  assign alpha_decayed = alpha_q - alpha_gain[40:10];
  assign gain_q30      = {1'b0, cfg_alpha_gain_i, 20'b0};

  // An increase, by the timer or by the byte counter.
  logic        by_bytes, timer_only, hyper;
  logic [15:0] stage, counted, timer_seen, byte_seen, least, most;
  logic [47:0] hyper_step;
  logic [48:0] raised;
  logic [31:0] raised_target, raised_rate;
  logic [32:0] middle;
  always_comb begin
    by_bytes   = state_q == Act;
    stage      = by_bytes ? byte_stage_q : timer_stage_q;
    counted    = &stage ? stage : stage + 16'd1;
    timer_seen = timer_stage_q;
    byte_seen  = byte_stage_q;
    // The paper counts the event before it looks at the stages, NVIDIA's after.
    if (`SLUICE_FAULT(3, !cfg_nvidia_i, 1'b0)) begin
      if (by_bytes) byte_seen = counted;
      else          timer_seen = counted;
    end
    timer_only = cfg_nvidia_i && cfg_byte_counter_i == 31'd0;
    least      = timer_seen < byte_seen || timer_only ? timer_seen : byte_seen;
    most       = timer_seen > byte_seen ? timer_seen : byte_seen;
    hyper      = `SLUICE_FAULT(4, least > cfg_fast_recovery_stages_i,
                               least >= cfg_fast_recovery_stages_i);
    hyper_step = {32'b0, cfg_nvidia_i ? 16'd1 : least - cfg_fast_recovery_stages_i}
                 * {16'b0, cfg_hai_kbps_i};
    raised     = {17'b0, target_q};
    if (most >= cfg_fast_recovery_stages_i) begin
      raised = raised + (hyper ? {1'b0, hyper_step} : {17'b0, cfg_ai_kbps_i});
    end
    raised_target = `SLUICE_FAULT(5, raised > {17'b0, cfg_max_kbps_i}, 1'b0) ? cfg_max_kbps_i
                                                                             : raised[31:0];
    // Rounded up, so that the rate reaches its target.
    middle      = {1'b0, rate_q} + {1'b0, raised_target} + `SLUICE_FAULT(6, 33'd1, 33'd0);
    raised_rate = middle[32:1];
  end

  // Which event is next.
  logic [63:0]        horizon, cut_at, increase_at, alpha_until;
  logic               cut_first, due, alpha_due, alpha_idle;
  logic signed [32:0] bytes_left;
  logic               first_rate, late_cut;
  always_comb begin
    horizon     = now_q;                                // Advance executes what is before it
    if (op_q == OpSent || `SLUICE_FAULT(7, 1'b0, op_q == OpCnp)) horizon = now_q + 64'd1;
    if (op_q == OpRtt) horizon = 64'd0;
    cut_at      = pending_q ? next_cut_q : Never;
    increase_at = rate_q < cfg_max_kbps_i ? next_increase_q : Never;
    cut_first   = `SLUICE_FAULT(8, cut_at <= increase_at, cut_at < increase_at);
    due         = (cut_first ? cut_at : increase_at) < horizon;
    // Alpha as a cut sees it includes the update at that very time.
    alpha_until = state_q == Advance ? `SLUICE_FAULT(9, cut_at + 64'd1, cut_at) : now_q;
    alpha_due   = next_alpha_q < alpha_until;
    alpha_idle  = alpha_q == 31'd0 && !seen_q;
    bytes_left  = {bytes_left_q[31], bytes_left_q} - (charged_q ? 33'd0 : {1'b0, wire_q});
    first_rate  = !started_q && cfg_first_cnp_kbps_i != 32'd0 && cfg_first_cnp_kbps_i < rate_q;
    late_cut    = next_cut_q < now_q;
  end

  // One step.
  logic do_alpha, do_cut, do_increase, restart;
  logic [63:0] event_time;
  always_comb begin
    state_d         = state_q;
    rate_d          = rate_q;
    target_d        = target_q;
    alpha_d         = alpha_q;
    bytes_left_d    = bytes_left_q;
    next_alpha_d    = next_alpha_q;
    next_increase_d = next_increase_q;
    next_cut_d      = next_cut_q;
    timer_stage_d   = timer_stage_q;
    byte_stage_d    = byte_stage_q;
    started_d       = started_q;
    seen_d          = seen_q;
    pending_d       = pending_q;
    increased_d     = increased_q;
    by_bytes_d      = by_bytes_q;
    charged_d       = charged_q;
    renew_d         = renew_q;
    do_alpha        = 1'b0;
    do_cut          = 1'b0;
    do_increase     = 1'b0;
    restart         = 1'b0;
    step            = 1'b0;
    skip            = 1'b0;
    skip_is_cut     = 1'b0;
    event_time      = now_q;
    unique case (state_q)
      Advance: begin
        if (!due) state_d = Act;
        else if (!cut_first) begin
          do_increase     = 1'b1;
          next_increase_d = next_increase_q + cfg_rate_timer_i;
        end else if (alpha_due) do_alpha = 1'b1;
        else begin
          do_cut     = 1'b1;
          step       = 1'b1;
          event_time = cut_at;
          pending_d  = 1'b0;
          next_cut_d = next_cut_q + cfg_cut_period_i;
        end
      end
      Act: begin
        unique case (op_q)
          OpCnp: begin
            if (started_q && alpha_due) do_alpha = 1'b1;
            else begin
              started_d = 1'b1;
              state_d   = Pace;
              if (!started_q) begin
                next_alpha_d = now_q + cfg_alpha_period_i;
                next_cut_d   = now_q + cfg_cut_period_i;
              end
              if (first_rate) begin
                rate_d  = cfg_first_cnp_kbps_i < cfg_min_kbps_i ? cfg_min_kbps_i
                                                                : cfg_first_cnp_kbps_i;
                restart = 1'b1;
                renew_d = 1'b1;
              end else if (!cfg_nvidia_i) begin
                do_cut       = 1'b1;
                alpha_d      = alpha_decayed + gain_q30;
                next_alpha_d = now_q + cfg_alpha_period_i;
                next_cut_d   = next_cut_q;
              end else begin
                pending_d = 1'b1;
                if (started_q) begin
                  seen_d      = 1'b1;
                  skip        = late_cut;
                  skip_is_cut = 1'b1;
                end
              end
            end
          end
          OpSent: begin
            if (charged_q || (rate_q < cfg_max_kbps_i && cfg_byte_counter_i != 31'd0)) begin
              charged_d    = 1'b1;
              bytes_left_d = bytes_left[31:0];
              if (bytes_left <= 33'sd0) begin
                do_increase  = 1'b1;
                bytes_left_d = bytes_left[31:0] + {1'b0, cfg_byte_counter_i};
              end else state_d = Pace;
            end else state_d = Pace;
          end
          OpRead: begin
            if (started_q && alpha_due) do_alpha = 1'b1;
            else state_d = Pace;
          end
          default: state_d = Pace;                                // OpAdd, OpRtt
        endcase
      end
      default: ;
    endcase
    if (do_alpha) begin
      step = 1'b1;
      if (alpha_idle) skip = 1'b1;                                // nothing changes any more
      else begin
        alpha_d      = seen_q ? alpha_decayed + gain_q30 : alpha_decayed;
        seen_d       = `SLUICE_FAULT(10, 1'b0, seen_q);
        next_alpha_d = next_alpha_q + cfg_alpha_period_i;
      end
    end
    if (do_cut) begin
      if (cfg_clamp_target_i
          || (increased_q && (`SLUICE_FAULT(11, by_bytes_q, 1'b0) || cfg_clamp_after_timer_i))) begin
        target_d = rate_q;
      end
      rate_d      = cut_rate;
      increased_d = 1'b0;
      restart     = 1'b1;
      renew_d     = 1'b1;
    end
    if (restart) begin
      timer_stage_d   = 16'd0;
      byte_stage_d    = 16'd0;
      next_increase_d = `SLUICE_FAULT(1, event_time + cfg_rate_timer_i, next_increase_q);
      bytes_left_d    = `SLUICE_FAULT(15, {1'b0, cfg_byte_counter_i}, bytes_left_q);
    end
    if (do_increase) begin
      step        = 1'b1;
      target_d    = raised_target;
      rate_d      = raised_rate;
      increased_d = 1'b1;
      by_bytes_d  = by_bytes;
      renew_d     = `SLUICE_FAULT(13, 1'b1, renew_q || !by_bytes);
      if (by_bytes) byte_stage_d = counted;
      else          timer_stage_d = counted;
    end
    if (skip) state_d = Remainder;
  end

  // Divider, restoring, two bits a clock: ps per byte of a rate, or how far into a period a time is.
  logic [63:0] remainder_q, quotient_q, divisor_q, half_quotient, next_quotient;
  logic [64:0] half, half_left, full, full_left;
  logic [63:0] half_remainder, next_remainder;
  logic [5:0]  rounds_q;
  logic        for_cut_q;
  logic [63:0] until_q;
  always_comb begin
    half           = {remainder_q, quotient_q[63]};
    half_left      = half - {1'b0, divisor_q};
    half_remainder = half_left[64] ? half[63:0] : half_left[63:0];
    half_quotient  = {quotient_q[62:0], !half_left[64]};
    full           = {half_remainder, half_quotient[63]};
    full_left      = full - {1'b0, divisor_q};
    next_remainder = full_left[64] ? full[63:0] : full_left[63:0];
    next_quotient  = {half_quotient[62:0], !full_left[64]};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else begin
      unique case (state_q)
        Idle:      if (in_valid_i) state_q <= Advance;
        Remainder: if (rounds_q == 6'd0) state_q <= back_q;
        Pace:      if (rounds_q == 6'd1) state_q <= Answer;
        Answer:    state_q <= Idle;
        default:   state_q <= state_d == Pace && !renew_d ? Answer : state_d;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Advance || state_q == Act) begin
      remainder_q <= 64'd0;
      if (skip) begin
        quotient_q <= skip_is_cut ? now_q - 64'd1 - next_cut_q : alpha_until - 64'd1 - next_alpha_q;
        divisor_q  <= skip_is_cut ? cfg_cut_period_i : cfg_alpha_period_i;
        rounds_q   <= 6'd32;
        until_q    <= (skip_is_cut ? now_q : alpha_until) - 64'd1;
        for_cut_q  <= skip_is_cut;
        back_q     <= !skip_is_cut ? state_q : renew_d ? Pace : Answer;
      end else begin
        quotient_q <= PaceDividend;
        divisor_q  <= {32'b0, rate_d};
        rounds_q   <= 6'(PaceClocks);
      end
    end else if (state_q == Remainder && rounds_q == 6'd0) begin
      remainder_q <= 64'd0;
      quotient_q  <= PaceDividend;
      divisor_q   <= {32'b0, rate_q};
      rounds_q    <= 6'(PaceClocks);
    end else begin
      remainder_q <= next_remainder;
      quotient_q  <= next_quotient;
      rounds_q    <= rounds_q - 6'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      op_q      <= in_op_i;
      flow_q    <= in_flow_i;
      wire_q    <= in_bytes_i;
      now_q     <= in_now_i;
      charged_q <= 1'b0;
      renew_q   <= in_op_i == OpAdd;
      steps_q   <= 32'd0;
      skips_q   <= 2'd0;
      {rate_q, target_q, alpha_q, bytes_left_q, next_alpha_q, next_increase_q, next_cut_q, pace_q,
       timer_stage_q, byte_stage_q, started_q, seen_q, pending_q, increased_q, by_bytes_q}
        <= flows[in_flow_i];
      if (in_op_i == OpAdd) begin
        rate_q          <= cfg_max_kbps_i;
        target_q        <= cfg_max_kbps_i;
        alpha_q         <= {cfg_initial_alpha_i, 20'b0};
        bytes_left_q    <= {1'b0, cfg_byte_counter_i};
        next_alpha_q    <= 64'd0;
        next_increase_q <= 64'd0;
        next_cut_q      <= 64'd0;
        timer_stage_q   <= 16'd0;
        byte_stage_q    <= 16'd0;
        {started_q, seen_q, pending_q, increased_q, by_bytes_q} <= 5'b0;
      end
    end else if (state_q == Remainder) begin
      if (rounds_q == 6'd0) begin
        if (for_cut_q) begin
          next_cut_q <= until_q - remainder_q + `SLUICE_FAULT(14, cfg_cut_period_i, 64'd0);
        end else next_alpha_q <= until_q - remainder_q + cfg_alpha_period_i;
      end
    end else begin
      rate_q          <= rate_d;
      target_q        <= target_d;
      alpha_q         <= alpha_d;
      bytes_left_q    <= bytes_left_d;
      next_alpha_q    <= next_alpha_d;
      next_increase_q <= next_increase_d;
      next_cut_q      <= next_cut_d;
      timer_stage_q   <= timer_stage_d;
      byte_stage_q    <= byte_stage_d;
      started_q       <= started_d;
      seen_q          <= seen_d;
      pending_q       <= pending_d;
      increased_q     <= increased_d;
      by_bytes_q      <= by_bytes_d;
      charged_q       <= charged_d;
      renew_q         <= renew_d;
      if (step) steps_q <= steps_q + 32'd1;
      if (skip) skips_q <= skips_q + 2'd1;
    end
  end

  // Answer.
  logic [56:0] pace;
  logic [88:0] frame;
  assign pace  = renew_q ? quotient_q[56:0] : pace_q;
  assign frame = {32'b0, pace} * {57'b0, wire_q};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= state_q == Answer;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Answer) begin
      flows[flow_q] <= {rate_q, target_q, alpha_q, bytes_left_q, next_alpha_q, next_increase_q,
                        next_cut_q, pace, timer_stage_q, byte_stage_q, started_q, seen_q, pending_q,
                        increased_q, by_bytes_q};
      out_limited_o       <= rate_q < cfg_max_kbps_i || pending_q;
      // At the highest rate the port's own clock is the limit.
      out_interval_o      <= op_q == OpSent && rate_q < cfg_max_kbps_i ? frame[87:24] : 64'd0;
      out_rate_o          <= rate_q;
      out_target_o        <= target_q;
      out_alpha_o         <= alpha_q;
      out_bytes_left_o    <= bytes_left_q;
      out_next_alpha_o    <= next_alpha_q;
      out_next_increase_o <= next_increase_q;
      out_next_cut_o      <= next_cut_q;
      out_pace_o          <= pace;
      out_timer_stage_o   <= timer_stage_q;
      out_byte_stage_o    <= byte_stage_q;
      out_flags_o         <= {started_q, seen_q, pending_q, increased_q, by_bytes_q};
      out_steps_o         <= steps_q;
      out_skips_o         <= skips_q;
      out_paced_o         <= renew_q;
    end
  end

  logic unused;
  assign unused = &{1'b0, frame[88], frame[23:0], share_of_100[78], share_of_100[45:0], raised[48:32],
                    alpha_gain[9:0], middle[0]};

  if (Flows < 2 || Flows > 65536) begin : g_chk_flows
    $error("Flows must be 2 to 65536");
  end
`ifndef SYNTHESIS
  // The clocks that the work explains, from the request on.
  logic [31:0] clocks_q;
  always_ff @(posedge clk_i) clocks_q <= state_q == Idle ? 32'd1 : clocks_q + 32'd1;
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni)
    state_q == Answer |-> clocks_q == Latency - 1 + steps_q + SkipClocks * 32'(skips_q)
                                      + (renew_q ? PaceClocks : 0));
  a_rate: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o |-> out_rate_o != 0 && out_rate_o <= cfg_max_kbps_i);
  a_alpha: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o |-> out_alpha_o <= 31'h40000000);
  a_request_held: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni))
    $past(in_valid_i && !in_ready_o) |-> in_valid_i && $stable(in_op_i) && $stable(in_flow_i)
                                         && $stable(in_now_i) && $stable(in_bytes_i));
  a_config: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni))
    $stable(cfg_max_kbps_i) && $stable(cfg_alpha_period_i) && $stable(cfg_nvidia_i));
`endif
endmodule : dcqcn_rp
`resetall
