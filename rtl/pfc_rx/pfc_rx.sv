// SPDX-License-Identifier: Apache-2.0
// The obeying side of priority-based flow control (models/switch/pfc): reads IEEE 802.1Qbb frames
// and keeps a pause timer for each port and priority. One request a clock, a frame or a look.
// Leaves out: the FCS, which is checked before; statistics.
//
//   request -> [1: fields, port's setting] -> [2: durations, timers read] -> [3: timers] -> response
//
// Time is in ps and enters with each request; a timer is the time at which its pause ends. The
// timers of a port asked in two clocks running are forwarded from stage 3.
`default_nettype none
`include "sluice_fault.svh"
module pfc_rx #(
  /// Ports of the chip, 2 to 1024.
  parameter int unsigned Ports /*verilator public*/ = 256,
  /// Clocks from request to response.
  localparam int unsigned Latency = 3,
  localparam int unsigned PortBits   = $clog2(Ports),
  localparam int unsigned Classes    = 8,
  localparam int unsigned FactorBits = 88
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  // Configuration, at rest. A port is used after it has been configured, which clears its timers.
  input  wire logic                  port_valid_i,
  input  wire logic [PortBits-1:0]   port_port_i,
  input  wire logic [Classes-1:0]    port_lossless_i,  // priorities that obey
  input  wire logic [FactorBits-1:0] port_quantum_i,   // ps of 512 bit times x 2^58, rounded up
  // Request.
  input  wire logic                  in_valid_i,
  input  wire logic [PortBits-1:0]   in_port_i,
  input  wire logic                  in_frame_valid_i, // 0: a look at the timers
  // 64 bytes, the first one lowest; the source and what pads the frame are not looked at.
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [511:0]          in_frame_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire logic [63:0]           in_now_i,         // ps
  // Response.
  output logic                       out_valid_o,
  output logic                       out_pfc_o,        // the frame was one of PFC
  output logic [Classes-1:0]         out_obeyed_o,     // priorities whose timer it has loaded
  output logic [Classes-1:0]         out_ignored_o,    // that it named and that are not lossless
  output logic [Classes-1:0]         out_paused_o,     // at in_now_i, after the frame
  output logic [Classes*64-1:0]      out_until_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned PointBits    = 58;           // of the time of a quantum
  localparam int unsigned DurationBits = FactorBits + 16 - PointBits;

  // Big endian fields: byte i of the frame is bits 8i+7 to 8i.
  logic [47:0]  destination;
  logic [15:0]  ether_type, opcode, class_enable;
  logic [127:0] quanta;
  logic         is_pfc;
  assign destination  = {in_frame_i[7:0], in_frame_i[15:8], in_frame_i[23:16],
                         in_frame_i[31:24], in_frame_i[39:32], in_frame_i[47:40]};
  assign ether_type   = {in_frame_i[103:96], in_frame_i[111:104]};
  assign opcode       = {in_frame_i[119:112], in_frame_i[127:120]};
  assign class_enable = {in_frame_i[135:128], in_frame_i[143:136]};
  for (genvar p = 0; p < Classes; p++) begin : gen_field
    assign quanta[p*16 +: 16] = `SLUICE_FAULT(5,
      ({in_frame_i[(18+2*p)*8 +: 8], in_frame_i[(19+2*p)*8 +: 8]}),
      ({in_frame_i[(19+2*p)*8 +: 8], in_frame_i[(18+2*p)*8 +: 8]}));
  end
  // PAUSE of 802.3x (opcode 1) goes to the same address.
  assign is_pfc = in_frame_valid_i && destination == 48'h0180_c200_0001 && ether_type == 16'h8808
                  && `SLUICE_FAULT(2, opcode == 16'h0101, 1'b1) && class_enable[15:8] == 8'b0;

  // Stage 1.
  logic [Classes-1:0]    lossless_of [Ports];
  logic [FactorBits-1:0] quantum_of [Ports];
  always_ff @(posedge clk_i) begin
    if (port_valid_i) begin
      lossless_of[port_port_i] <= port_lossless_i;
      quantum_of[port_port_i]  <= port_quantum_i;
    end
  end

  logic                  s1_valid_q, s1_pfc_q;
  logic [PortBits-1:0]   s1_port_q;
  logic [Classes-1:0]    s1_named_q, s1_lossless_q;
  logic [127:0]          s1_quanta_q;
  logic [FactorBits-1:0] s1_quantum_q;
  logic [63:0]           s1_now_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else         s1_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    s1_pfc_q      <= is_pfc;
    s1_port_q     <= in_port_i;
    s1_named_q    <= is_pfc ? class_enable[7:0] : 8'b0;
    s1_lossless_q <= lossless_of[in_port_i];
    s1_quanta_q   <= quanta;
    s1_quantum_q  <= quantum_of[in_port_i];
    s1_now_q      <= in_now_i;
  end

  // Stage 2: whole ps of the pauses. The factor is rounded up by less than 2^-58, times 2^16
  // quanta: never to another whole number, as fractions are multiples of 1/rate > 2^-41.
  logic                s2_valid_q, s2_pfc_q;
  logic [PortBits-1:0] s2_port_q;
  logic [Classes-1:0]  s2_obeyed_q, s2_ignored_q;
  logic [63:0]         s2_now_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else         s2_valid_q <= s1_valid_q;
  end
  always_ff @(posedge clk_i) begin
    s2_pfc_q     <= s1_pfc_q;
    s2_port_q    <= s1_port_q;
    s2_obeyed_q  <= s1_named_q & `SLUICE_FAULT(3, s1_lossless_q, 8'hff);
    s2_ignored_q <= s1_named_q & ~s1_lossless_q;
    s2_now_q     <= s1_now_q;
  end

  // Stage 3: timers.
  logic same_port;
  assign same_port = s2_valid_q && s2_port_q == s1_port_q;
  for (genvar p = 0; p < Classes; p++) begin : gen_timer
    logic [63:0]                    store [Ports];
    logic [63:0]                    read_q, ends;
    logic [FactorBits+16-1:0]       exact;
    logic [DurationBits-1:0]        duration_q;
    logic                           load;
    assign exact = s1_quantum_q * (FactorBits+16)'(s1_quanta_q[p*16 +: 16]);
    assign load  = s2_obeyed_q[p]
                   && `SLUICE_FAULT(4, 1'b1, read_q <= s2_now_q || duration_q == '0);
    assign ends = load ? `SLUICE_FAULT(1, s2_now_q, (read_q > s2_now_q ? read_q : s2_now_q))
                          + 64'(duration_q) : read_q;
    always_ff @(posedge clk_i) begin
      duration_q <= DurationBits'(`SLUICE_FAULT(6, exact,
        exact + ((FactorBits+16)'(1) << 57)) >> PointBits);
      read_q <= `SLUICE_FAULT(7, same_port, 1'b0) ? ends : store[s1_port_q];
      if (port_valid_i) store[port_port_i] <= '0;
      else if (s2_valid_q && load) store[s2_port_q] <= ends;
      out_paused_o[p] <= `SLUICE_FAULT(8, ends > s2_now_q, ends >= s2_now_q && ends != '0);
      out_until_o[p*64 +: 64] <= ends;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    out_pfc_o     <= s2_pfc_q;
    out_obeyed_o  <= s2_obeyed_q;
    out_ignored_o <= `SLUICE_FAULT(9, s2_ignored_q, 8'b0);
  end

  if (Ports < 2 || Ports > 1024) begin : g_chk_ports
    $error("Ports must be 2 to 1024");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_obeys_or_ignores: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o |-> (out_obeyed_o & out_ignored_o) == '0
                    && (out_pfc_o || (out_obeyed_o | out_ignored_o) == '0));
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> !port_valid_i);
`endif
endmodule : pfc_rx
`resetall
