// SPDX-License-Identifier: Apache-2.0
// The ports of one ingress pipeline: a small FIFO a port, and one packet a clock into the pipeline,
// by round robin among the ports that hold one or oldest first. Leaves out: what happens to a packet
// that finds its port not ready (the port's MAC loses it or holds it).
//
//   port -> FIFO (clock 1) -> grant, output register (clock 2) -> pipeline
//
// Age needs no clock: the ports that brought a packet in the same clock are one word of a FIFO.
`default_nettype none
`include "sluice_fault.svh"
module ingress_arbiter #(
  /// Ports, 2 to 64.
  parameter int unsigned Ports       /*verilator public*/ = 8,
  /// Packets that each port's FIFO holds, 1 to 64.
  parameter int unsigned FifoPackets /*verilator public*/ = 4,
  /// Bits that describe a packet.
  parameter int unsigned DescBits    /*verilator public*/ = 32,
  /// 0: round robin. 1: oldest first, by the clock in which a packet came, then by port number.
  parameter int unsigned OldestFirst /*verilator public*/ = 0,
  /// Clocks from a packet that finds everything empty to the pipeline.
  localparam int unsigned Latency = 2,
  localparam int unsigned PortBits = $clog2(Ports)
) (
  input  wire logic                      clk_i,
  input  wire logic                      rst_ni,
  input  wire logic [Ports-1:0]          in_valid_i,
  output logic [Ports-1:0]               in_ready_o,
  input  wire logic [Ports*DescBits-1:0] in_desc_i,     // of port p from bit p * DescBits on
  output logic                           out_valid_o,
  input  wire logic                      out_ready_i,
  output logic [PortBits-1:0]            out_port_o,
  output logic [DescBits-1:0]            out_desc_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned FifoBits  = (FifoPackets > 1) ? $clog2(FifoPackets) : 1;
  localparam int unsigned CountBits = $clog2(FifoPackets + 1);
  localparam logic [FifoBits-1:0]  LastPlace = FifoBits'(FifoPackets - 1);
  localparam logic [CountBits-1:0] Full      = CountBits'(FifoPackets);

  // Output register: free, or emptied in this clock.
  logic                grant;
  logic [Ports-1:0]    waiting, pushed, granted;
  logic [PortBits-1:0] chosen;
  logic                may_grant;
  assign may_grant = `SLUICE_FAULT(1, !out_valid_o || out_ready_i, 1'b1);
  assign grant     = may_grant && waiting != '0;
  always_comb begin
    granted = '0;
    granted[chosen] = grant;
  end

  if (OldestFirst != 0) begin : gen_oldest
    // Clocks in which packets came, at most one a packet; the oldest has ports left.
    localparam int unsigned Clocks    = Ports * FifoPackets;
    localparam int unsigned ClockBits = $clog2(Clocks);
    localparam logic [ClockBits-1:0] LastClock = ClockBits'(Clocks - 1);
    logic [Ports-1:0]     clocks [Clocks];
    logic [ClockBits-1:0] oldest_q, newest_q;
    logic [Ports-1:0]     taken_q, left;              // of the oldest clock
    logic                 over;
    assign left = clocks[oldest_q] & ~taken_q;
    assign over = grant && `SLUICE_FAULT(11, (left & ~granted) == '0, 1'b1);
    always_comb begin
      chosen = '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        if (left[`SLUICE_FAULT(12, Ports-1-p, p)]) begin
          chosen = PortBits'(`SLUICE_FAULT(12, Ports - 1 - p, p));
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (pushed != '0) clocks[newest_q] <= `SLUICE_FAULT(13, pushed, in_valid_i);
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        oldest_q <= '0;
        newest_q <= '0;
        taken_q  <= '0;
      end else begin
        if (pushed != '0) newest_q <= (newest_q == LastClock) ? '0 : newest_q + 1'b1;
        if (over)         oldest_q <= (oldest_q == LastClock) ? '0 : oldest_q + 1'b1;
        taken_q <= over ? '0 : `SLUICE_FAULT(14, taken_q | granted, granted);
      end
    end
  end else begin : gen_turns
    // The first port that waits from first_q on, else the first of all.
    localparam logic [PortBits-1:0] LastPort = PortBits'(Ports - 1);
    logic [PortBits-1:0] first_q, after_chosen;
    logic [Ports-1:0]    later;
    always_comb begin
      for (int unsigned p = 0; p < Ports; p++) begin
        later[p] = waiting[p] && PortBits'(p) >= first_q;
      end
      chosen = '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        if (waiting[Ports-1-p]) chosen = PortBits'(Ports - 1 - p);
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        if (`SLUICE_FAULT(2, later[Ports-1-p], waiting[Ports-1-p])) chosen = PortBits'(Ports - 1 - p);
      end
    end
    assign after_chosen = (chosen == LastPort) ? '0 : chosen + 1'b1;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) first_q <= '0;
      else if (`SLUICE_FAULT(3, grant, may_grant)) first_q <= `SLUICE_FAULT(4, after_chosen, chosen);
    end
    logic unused;
    assign unused = ^pushed;
  end

  logic [DescBits-1:0] head_desc;
  logic [Ports*DescBits-1:0] heads;
  assign head_desc = heads[32'(chosen)*DescBits +: DescBits];
  always_ff @(posedge clk_i) begin
    if (!rst_ni)        out_valid_o <= 1'b0;
    else if (may_grant) out_valid_o <= `SLUICE_FAULT(5, waiting != '0, out_valid_o || waiting != '0);
  end
  always_ff @(posedge clk_i) begin
    if (grant) begin
      out_port_o <= chosen;
      out_desc_o <= head_desc;
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [DescBits-1:0]  fifo [FifoPackets];
    logic [FifoBits-1:0]  read_q, write_q;
    logic [CountBits-1:0] count_q;
    logic                 push, pop;
    assign in_ready_o[p] = `SLUICE_FAULT(6, count_q != Full, count_q < Full - 1'b1 || granted[p]);
    assign push          = in_valid_i[p] && `SLUICE_FAULT(7, in_ready_o[p], 1'b1);
    assign pop           = granted[p];
    assign pushed[p]     = push;
    assign waiting[p]    = count_q != '0;
    assign heads[p*DescBits +: DescBits] = fifo[read_q];
    always_ff @(posedge clk_i) begin
      if (push) fifo[write_q] <= in_desc_i[p*DescBits +: DescBits];
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        read_q  <= '0;
        write_q <= '0;
        count_q <= `SLUICE_FAULT(8, '0, Full);
      end else begin
        if (push) write_q <= (write_q == LastPlace) ? '0 : write_q + 1'b1;
        if (pop)  read_q  <= (read_q == `SLUICE_FAULT(9, LastPlace, LastPlace - 1'b1))
                             ? '0 : read_q + 1'b1;
        if (push && !pop) count_q <= count_q + 1'b1;
        if (pop && `SLUICE_FAULT(10, !push, 1'b1)) count_q <= count_q - 1'b1;
      end
    end
`ifndef SYNTHESIS
    a_fifo_bounds: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= Full);
`endif
  end

  if (Ports < 2 || Ports > 64) begin : g_chk_ports
    $error("Ports must be 2 to 64");
  end
  if (FifoPackets < 1 || FifoPackets > 64) begin : g_chk_fifo
    $error("FifoPackets must be 1 to 64");
  end
`ifndef SYNTHESIS
  // A grant in a clock is at the output in the next: with the FIFO's clock, Latency.
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    $past(grant, Latency - 1) |-> out_valid_o);
  a_one_grant: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0(granted) && (granted & ~waiting) == '0);
  a_hold: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni))
    out_valid_o && !out_ready_i |=> out_valid_o && $stable(out_port_o) && $stable(out_desc_o));
`endif
endmodule : ingress_arbiter
`resetall
