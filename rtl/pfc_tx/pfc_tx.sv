// SPDX-License-Identifier: Apache-2.0
// The sending side of priority-based flow control (models/switch/pfc): which priorities of a port
// are XOFF, when that is to be said again, and the IEEE 802.1Qbb frames that say so, whole with
// their FCS. One request a clock. Leaves out: when a frame gets its turn on the wire.
//
//   request -> [1: port's state] -> [2: decision] -> [3: frame] -> response
//
// Time is in ps and enters with each request. The state of a port asked in two clocks running is
// forwarded from stage 2.
`default_nettype none
`include "sluice_fault.svh"
module pfc_tx #(
  /// Ports of the chip, 2 to 1024.
  parameter int unsigned Ports /*verilator public*/ = 256,
  /// Clocks from request to response.
  localparam int unsigned Latency = 3,
  localparam int unsigned PortBits = $clog2(Ports),
  localparam int unsigned Classes  = 8
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  // Configuration, at rest. A port is used after it has been configured, which clears its state.
  input  wire logic                port_valid_i,
  input  wire logic [PortBits-1:0] port_port_i,
  input  wire logic                port_enabled_i,
  input  wire logic [15:0]         port_quanta_i,   // of an XOFF
  input  wire logic [63:0]         port_refresh_i,  // ps from an XOFF to its repetition
  input  wire logic [47:0]         port_source_i,   // MAC address, its first byte highest
  // Request.
  input  wire logic                in_valid_i,
  input  wire logic [1:0]          in_kind_i,       // xoff, xon, look whether a repetition is due
  input  wire logic [PortBits-1:0] in_port_i,
  input  wire logic [2:0]          in_priority_i,   // xoff, xon
  input  wire logic [63:0]         in_now_i,        // ps
  // Response.
  output logic                     out_valid_o,
  output logic                     out_frame_valid_o,
  output logic [511:0]             out_frame_o,     // 64 bytes, the first one lowest
  output logic [Classes-1:0]       out_xoff_o,      // state of the port after the request
  output logic [63:0]              out_due_o        // next repetition, while something is XOFF
);
  `SLUICE_FAULT_DECL
  localparam logic [1:0] Xoff = 2'd0, Xon = 2'd1;

  // Stage 1.
  logic [128:0]        setting_of [Ports];          // enabled, quanta, refresh, source
  logic [Classes-1:0]  xoff_store [Ports];
  logic [63:0]         due_store [Ports];
  logic                s1_valid_q;
  logic [1:0]          s1_kind_q;
  logic [PortBits-1:0] s1_port_q;
  logic [2:0]          s1_priority_q;
  logic [63:0]         s1_now_q, s1_due_q;
  logic [Classes-1:0]  s1_xoff_q;
  logic                s1_enabled_q;
  logic [15:0]         s1_quanta_q;
  logic [63:0]         s1_refresh_q;
  logic [47:0]         s1_source_q;
  logic [Classes-1:0]  next_xoff;
  logic [63:0]         next_due;
  logic                write, same_port;
  assign same_port = write && s1_port_q == in_port_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else         s1_valid_q <= in_valid_i;
  end
  always_ff @(posedge clk_i) begin
    s1_kind_q     <= in_kind_i;
    s1_port_q     <= in_port_i;
    s1_priority_q <= in_priority_i;
    s1_now_q      <= in_now_i;
    {s1_enabled_q, s1_quanta_q, s1_refresh_q, s1_source_q} <= setting_of[in_port_i];
    s1_xoff_q     <= `SLUICE_FAULT(4, same_port, 1'b0) ? next_xoff : xoff_store[in_port_i];
    s1_due_q      <= same_port ? next_due : due_store[in_port_i];
  end

  // Stage 2: an XOFF names all classes that are stopped, an XON the one that resumes.
  logic [Classes-1:0] class_bit, classes;
  logic               repeats, resumes, stops;
  logic [15:0]        quanta;
  assign class_bit = 8'd1 << s1_priority_q;
  assign stops     = s1_enabled_q && s1_kind_q == Xoff;
  assign resumes   = s1_enabled_q && s1_kind_q == Xon
                     && `SLUICE_FAULT(2, (s1_xoff_q & class_bit) != '0, 1'b1);
  assign repeats   = s1_kind_q != Xoff && s1_kind_q != Xon
                     && `SLUICE_FAULT(3, s1_xoff_q != '0, 1'b1)
                     && `SLUICE_FAULT(1, s1_now_q >= s1_due_q, s1_now_q > s1_due_q);
  assign write     = s1_valid_q && (stops || resumes || repeats);
  always_comb begin
    next_xoff = s1_xoff_q;
    if (stops)   next_xoff = s1_xoff_q | class_bit;
    if (resumes) next_xoff = `SLUICE_FAULT(5, s1_xoff_q & ~class_bit, '0);
    next_due = s1_due_q;
    if (`SLUICE_FAULT(6, stops, stops && s1_xoff_q == '0) || repeats) begin
      next_due = `SLUICE_FAULT(7, s1_now_q, (repeats ? s1_due_q : s1_now_q)) + s1_refresh_q;
    end
    classes = `SLUICE_FAULT(8, next_xoff, (stops ? class_bit : next_xoff));
    quanta  = s1_quanta_q;
    if (resumes) begin
      classes = class_bit;
      quanta  = '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (port_valid_i) begin
      setting_of[port_port_i] <= {port_enabled_i, port_quanta_i, port_refresh_i, port_source_i};
      xoff_store[port_port_i] <= '0;
      due_store[port_port_i]  <= '0;
    end else if (write) begin
      xoff_store[s1_port_q] <= next_xoff;
      due_store[s1_port_q]  <= next_due;
    end
  end

  logic               s2_valid_q, s2_frame_q;
  logic [Classes-1:0] s2_classes_q, s2_xoff_q;
  logic [15:0]        s2_quanta_q;
  logic [47:0]        s2_source_q;
  logic [63:0]        s2_due_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {s2_valid_q, s2_frame_q} <= '0;
    else         {s2_valid_q, s2_frame_q} <= {s1_valid_q, write};
  end
  always_ff @(posedge clk_i) begin
    s2_xoff_q <= next_xoff;
    s2_due_q  <= next_due;
    if (write) begin                                // else at rest: the frame is a wide word
      s2_classes_q <= classes;
      s2_quanta_q  <= quanta;
      s2_source_q  <= s1_source_q;
    end
  end

  // Stage 3: 60 bytes of frame, of which those behind byte 33 are padding, and their FCS.
  logic [479:0] frame;
  logic [31:0]  crc;
  always_comb begin
    frame = '0;
    frame[47:0]    = 48'h0100_00c2_8001;
    for (int i = 0; i < 6; i++) frame[48 + 8*i +: 8] = s2_source_q[8*(5 - i) +: 8];
    frame[111:96]  = 16'h0888;
    frame[127:112] = `SLUICE_FAULT(9, 16'h0101, 16'h0100);
    frame[143:136] = s2_classes_q;
    for (int p = 0; p < 8; p++) begin
      if (s2_classes_q[p]) frame[144 + 16*p +: 16] = {s2_quanta_q[7:0], s2_quanta_q[15:8]};
    end
  end
  always_comb begin
    crc = '1;
    for (int i = 0; i < 480; i++) begin
      crc = (crc >> 1) ^ ((crc[0] ^ frame[i]) ? 32'hedb8_8320 : 32'b0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= s2_valid_q;
  end
  always_ff @(posedge clk_i) begin
    out_frame_valid_o <= s2_frame_q;
    out_frame_o       <= {`SLUICE_FAULT(10, ~crc, crc), frame};
    out_xoff_o        <= s2_xoff_q;
    out_due_o         <= s2_due_q;
  end

  if (Ports < 2 || Ports > 1024) begin : g_chk_ports
    $error("Ports must be 2 to 1024");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(in_valid_i, Latency));
  a_frame_names_a_class: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_valid_o && out_frame_valid_o |-> out_frame_o[143:136] != '0);
  a_kind: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> in_kind_i != 2'd3);
  a_config_at_rest: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> !port_valid_i);
`endif
endmodule : pfc_tx
`resetall
