// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point for all flows of a NIC in fixed point (models/nic/congestion/dcqcn.h):
// rates in kbit/s, alpha in Q30, timers caught up when a flow is asked for, one event a clock.
// Leaves out: requests of other flows while one is worked on; a NIC asks once a frame.
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
  output logic [4:0]               out_flags_o,              // the last five of flow_t
  output logic [31:0]              out_steps_o,
  output logic [1:0]               out_skips_o,
  output logic                     out_paced_o
);
  `SLUICE_FAULT_DECL
  localparam logic [2:0] OpAdd = 3'd0, OpCnp = 3'd1, OpSent = 3'd2, OpRead = 3'd3, OpRtt = 3'd4;
  localparam logic [2:0] Idle = 3'd0, Advance = 3'd1, Act = 3'd2, Remainder = 3'd3, Pace = 3'd4,
                         Answer = 3'd5;

  localparam int unsigned WordBits = 32 + 32 + 31 + 32 + 3 * 64 + 57 + 16 + 16 + 5;
  typedef struct packed {
    logic [31:0] rate, target;                            // kbit/s
    logic [30:0] alpha;                                   // Q30
    logic [31:0] bytes_left;                              // of the byte counter, signed
    logic [63:0] next_alpha, next_increase, next_cut;     // ps
    logic [56:0] pace;                                    // ps per byte, Q.24
    logic [15:0] timer_stage, byte_stage;
    logic        started, seen, pending;                  // CNP: ever, in this alpha period; cut
    logic        increased, by_bytes;                     // since a cut; last by the byte counter
  } flow_t;
  flow_t flow_q, flow_d, flow_done;                       // the flow at work

  // The request.
  logic [2:0]          state_q, state_d, back_q;
  logic [2:0]          op_q;
  logic [FlowBits-1:0] number_q;
  logic [31:0]         wire_q;
  logic [63:0]         now_q;
  logic                charged_q, charged_d;   // the frame was taken off the byte counter
  logic                renew_q, renew_d;       // the rate has changed
  logic [31:0]         steps_q;
  logic [1:0]          skips_q;
  logic                step, skip, skip_is_cut;

  logic [WordBits-1:0] flows [Flows];

  assign in_ready_o = state_q == Idle;

  logic [31:0] cut_rate;
  dcqcn_rp_cut u_cut (
    .cfg_cut_shift_i(cfg_cut_shift_i), .cfg_min_decrease_percent_i(cfg_min_decrease_percent_i),
    .cfg_min_kbps_i(cfg_min_kbps_i), .rate_i(flow_q.rate), .alpha_i(flow_q.alpha),
    .rate_o(cut_rate));

  logic [30:0] alpha_decayed, alpha_raised;
  dcqcn_rp_alpha u_alpha (
    .cfg_alpha_gain_i(cfg_alpha_gain_i), .alpha_i(flow_q.alpha), .decayed_o(alpha_decayed),
    .raised_o(alpha_raised));

  logic        by_bytes;
  logic [15:0] counted;
  logic [31:0] raised_target, raised_rate;
  assign by_bytes = state_q == Act;
  dcqcn_rp_raise u_raise (
    .cfg_nvidia_i(cfg_nvidia_i), .cfg_byte_counter_i(cfg_byte_counter_i != 31'd0),
    .cfg_fast_recovery_stages_i(cfg_fast_recovery_stages_i), .cfg_ai_kbps_i(cfg_ai_kbps_i),
    .cfg_hai_kbps_i(cfg_hai_kbps_i), .cfg_max_kbps_i(cfg_max_kbps_i), .by_bytes_i(by_bytes),
    .timer_stage_i(flow_q.timer_stage), .byte_stage_i(flow_q.byte_stage), .rate_i(flow_q.rate),
    .target_i(flow_q.target), .stage_o(counted), .rate_o(raised_rate), .target_o(raised_target));

  // Which event is next.
  logic [63:0]        horizon, cut_at, alpha_until;
  logic               cut_first, due, alpha_due, alpha_idle;
  logic signed [32:0] bytes_left;
  logic               first_rate, late_cut;
  always_comb begin
    horizon     = now_q;                                // Advance executes what is before it
    if (op_q == OpSent || `SLUICE_FAULT(7, 1'b0, op_q == OpCnp)) horizon = now_q + 64'd1;
    if (op_q == OpRtt) horizon = 64'd0;
    alpha_idle  = flow_q.alpha == 31'd0 && !flow_q.seen;
    bytes_left  = {flow_q.bytes_left[31], flow_q.bytes_left}
                  - (charged_q ? 33'd0 : {1'b0, wire_q});
    first_rate  = !flow_q.started && cfg_first_cnp_kbps_i != 32'd0
                  && cfg_first_cnp_kbps_i < flow_q.rate;
    late_cut    = flow_q.next_cut < now_q;
  end
  dcqcn_rp_next u_next (
    .now_i(now_q), .horizon_i(horizon), .catches_up_i(state_q == Advance),
    .pending_i(flow_q.pending), .below_max_i(flow_q.rate < cfg_max_kbps_i),
    .next_cut_i(flow_q.next_cut),
    .next_increase_i(flow_q.next_increase), .next_alpha_i(flow_q.next_alpha), .cut_at_o(cut_at),
    .cut_first_o(cut_first), .due_o(due), .alpha_until_o(alpha_until), .alpha_due_o(alpha_due));

  // One step.
  logic do_alpha, do_cut, do_increase, restart;
  logic [63:0] event_time;
  always_comb begin
    state_d         = state_q;
    flow_d          = flow_q;
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
          flow_d.next_increase = flow_q.next_increase + cfg_rate_timer_i;
        end else if (alpha_due) do_alpha = 1'b1;
        else begin
          do_cut     = 1'b1;
          step       = 1'b1;
          event_time = cut_at;
          flow_d.pending  = 1'b0;
          flow_d.next_cut = flow_q.next_cut + cfg_cut_period_i;
        end
      end
      Act: begin
        unique case (op_q)
          OpCnp: begin
            if (flow_q.started && alpha_due) do_alpha = 1'b1;
            else begin
              flow_d.started = 1'b1;
              state_d   = Pace;
              if (!flow_q.started) begin
                flow_d.next_alpha = now_q + cfg_alpha_period_i;
                flow_d.next_cut   = now_q + cfg_cut_period_i;
              end
              if (first_rate) begin
                flow_d.rate  = cfg_first_cnp_kbps_i < cfg_min_kbps_i ? cfg_min_kbps_i
                                                                : cfg_first_cnp_kbps_i;
                restart = 1'b1;
                renew_d = 1'b1;
              end else if (!cfg_nvidia_i) begin
                do_cut       = 1'b1;
                flow_d.alpha      = alpha_raised;
                flow_d.next_alpha = now_q + cfg_alpha_period_i;
                flow_d.next_cut   = flow_q.next_cut;
              end else begin
                flow_d.pending = 1'b1;
                if (flow_q.started) begin
                  flow_d.seen      = 1'b1;
                  skip        = late_cut;
                  skip_is_cut = 1'b1;
                end
              end
            end
          end
          OpSent: begin
            if (charged_q || (flow_q.rate < cfg_max_kbps_i && cfg_byte_counter_i != 31'd0)) begin
              charged_d    = 1'b1;
              flow_d.bytes_left = bytes_left[31:0];
              if (bytes_left <= 33'sd0) begin
                do_increase  = 1'b1;
                flow_d.bytes_left = bytes_left[31:0] + {1'b0, cfg_byte_counter_i};
              end else state_d = Pace;
            end else state_d = Pace;
          end
          OpRead: begin
            if (flow_q.started && alpha_due) do_alpha = 1'b1;
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
        flow_d.alpha      = flow_q.seen ? alpha_raised : alpha_decayed;
        flow_d.seen       = `SLUICE_FAULT(10, 1'b0, flow_q.seen);
        flow_d.next_alpha = flow_q.next_alpha + cfg_alpha_period_i;
      end
    end
    if (do_cut) begin
      if (cfg_clamp_target_i || (flow_q.increased && (`SLUICE_FAULT(11, flow_q.by_bytes, 1'b0)
                                                      || cfg_clamp_after_timer_i))) begin
        flow_d.target = flow_q.rate;
      end
      flow_d.rate      = cut_rate;
      flow_d.increased = 1'b0;
      restart     = 1'b1;
      renew_d     = 1'b1;
    end
    if (restart) begin
      flow_d.timer_stage   = 16'd0;
      flow_d.byte_stage    = 16'd0;
      flow_d.next_increase = `SLUICE_FAULT(1, event_time + cfg_rate_timer_i, flow_q.next_increase);
      flow_d.bytes_left    = `SLUICE_FAULT(15, {1'b0, cfg_byte_counter_i}, flow_q.bytes_left);
    end
    if (do_increase) begin
      step        = 1'b1;
      flow_d.target    = raised_target;
      flow_d.rate      = raised_rate;
      flow_d.increased = 1'b1;
      flow_d.by_bytes  = by_bytes;
      renew_d     = `SLUICE_FAULT(13, 1'b1, renew_q || !by_bytes);
      if (by_bytes) flow_d.byte_stage = counted;
      else          flow_d.timer_stage = counted;
    end
    if (skip) state_d = Remainder;
  end

  logic [63:0] began;
  logic [56:0] new_pace;
  logic [5:0]  rounds;
  logic        divide, for_cut_q;
  assign divide = state_q == Advance || state_q == Act || (state_q == Remainder && rounds == 6'd0);
  dcqcn_rp_divider #(.PaceClocks(PaceClocks)) u_divider (
    .clk_i(clk_i), .load_i(divide), .period_i(skip), .rate_i(flow_d.rate),
    .until_i((skip_is_cut ? now_q : alpha_until) - 64'd1),
    .since_i(skip_is_cut ? flow_q.next_cut : flow_q.next_alpha),
    .length_i(skip_is_cut ? cfg_cut_period_i : cfg_alpha_period_i),
    .rounds_o(rounds), .pace_o(new_pace), .began_o(began));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else begin
      unique case (state_q)
        Idle:      if (in_valid_i) state_q <= Advance;
        Remainder: if (rounds == 6'd0) state_q <= back_q;
        Pace:      if (rounds == 6'd1) state_q <= Answer;
        Answer:    state_q <= Idle;
        default:   state_q <= state_d == Pace && !renew_d ? Answer : state_d;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (skip) begin
      for_cut_q <= skip_is_cut;
      back_q    <= !skip_is_cut ? state_q : renew_d ? Pace : Answer;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      op_q      <= in_op_i;
      number_q  <= in_flow_i;
      wire_q    <= in_bytes_i;
      now_q     <= in_now_i;
      charged_q <= 1'b0;
      renew_q   <= in_op_i == OpAdd;
      steps_q   <= 32'd0;
      skips_q   <= 2'd0;
      flow_q    <= flows[in_flow_i];
      if (in_op_i == OpAdd) begin
        flow_q            <= '0;
        flow_q.rate       <= cfg_max_kbps_i;
        flow_q.target     <= cfg_max_kbps_i;
        flow_q.alpha      <= {cfg_initial_alpha_i, 20'b0};
        flow_q.bytes_left <= {1'b0, cfg_byte_counter_i};
      end
    end else if (state_q == Remainder) begin
      if (rounds == 6'd0) begin
        if (for_cut_q) begin
          flow_q.next_cut <= began + `SLUICE_FAULT(14, cfg_cut_period_i, 64'd0);
        end else flow_q.next_alpha <= began + cfg_alpha_period_i;
      end
    end else begin
      flow_q    <= flow_d;
      charged_q <= charged_d;
      renew_q   <= renew_d;
      if (step) steps_q <= steps_q + 32'd1;
      if (skip) skips_q <= skips_q + 2'd1;
    end
  end

  // Answer.
  logic [56:0] pace;
  logic [88:0] frame;
  always_comb begin
    flow_done      = flow_q;
    flow_done.pace = pace;
  end
  assign pace  = renew_q ? new_pace : flow_q.pace;
  assign frame = {32'b0, pace} * {57'b0, wire_q};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= state_q == Answer;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Answer) begin
      flows[number_q]     <= flow_done;
      out_limited_o       <= flow_q.rate < cfg_max_kbps_i || flow_q.pending;
      // At the highest rate the port's own clock is the limit.
      out_interval_o      <= op_q == OpSent && flow_q.rate < cfg_max_kbps_i ? frame[87:24] : 64'd0;
      out_rate_o          <= flow_q.rate;
      out_target_o        <= flow_q.target;
      out_alpha_o         <= flow_q.alpha;
      out_bytes_left_o    <= flow_q.bytes_left;
      out_next_alpha_o    <= flow_q.next_alpha;
      out_next_increase_o <= flow_q.next_increase;
      out_next_cut_o      <= flow_q.next_cut;
      out_pace_o          <= pace;
      out_timer_stage_o   <= flow_q.timer_stage;
      out_byte_stage_o    <= flow_q.byte_stage;
      out_flags_o         <= {flow_q.started, flow_q.seen, flow_q.pending, flow_q.increased,
                              flow_q.by_bytes};
      out_steps_o         <= steps_q;
      out_skips_o         <= skips_q;
      out_paced_o         <= renew_q;
    end
  end

  logic unused;
  assign unused = &{1'b0, frame[88], frame[23:0]};

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
