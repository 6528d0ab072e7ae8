// SPDX-License-Identifier: Apache-2.0
// One token bucket of every port: the time at which it is full again, as whole ps and 1/rate ps,
// and the time from which it is open. Read while a request enters the last stage, charged there,
// and forwarded when the next request meets the same port. Leaves out: the time of the bytes
// (shaper_time).
`default_nettype none
`include "sluice_fault.svh"
module shaper_bucket #(
  parameter int unsigned Ports = 256,
  localparam int unsigned PortBits = $clog2(Ports),
  localparam int unsigned RateBits = 41,
  localparam int unsigned TimeBits = 37
) (
  input  wire logic                clk_i,
  input  wire logic                clear_i,
  input  wire logic [PortBits-1:0] clear_port_i,
  input  wire logic                stall_i,
  input  wire logic [PortBits-1:0] next_port_i,     // of the request that comes in
  input  wire logic                same_port_i,     // it is the port of the request in the stage
  // The request in the stage.
  input  wire logic [PortBits-1:0] port_i,
  input  wire logic                sent_i,          // of this bucket
  input  wire logic [63:0]         now_i,
  input  wire logic [RateBits-1:0] rate_i,          // bit/s; 0: no shaper
  input  wire logic [63:0]         burst_i,
  input  wire logic [TimeBits-1:0] time_i,
  input  wire logic [RateBits-1:0] rest_i,
  output logic                     shut_o,          // before it
  output logic [63:0]              opens_o          // after it
);
  `SLUICE_FAULT_DECL
  logic [63:0]         full_store [Ports];
  logic [RateBits-1:0] rest_store [Ports];
  logic [63:0]         opens_store [Ports];
  logic [63:0]         full_q, opens_q, full, base;
  logic [RateBits-1:0] rest_q, rest, base_rest;
  logic [RateBits:0]   sum;
  logic                charge, carry;
  // A charge starts from now where the bucket was full.
  assign charge    = sent_i && rate_i != '0;
  assign base      = `SLUICE_FAULT(5, full_q < now_i, 1'b0) ? now_i : full_q;
  assign base_rest = full_q < now_i ? '0 : rest_q;
  assign sum       = {1'b0, base_rest} + {1'b0, rest_i};
  assign carry     = sum >= {1'b0, rate_i};
  assign full      = charge ? base + 64'(time_i) + {63'b0, `SLUICE_FAULT(6, carry, 1'b0)} : full_q;
  assign rest      = charge ? RateBits'(carry ? sum - {1'b0, rate_i} : sum) : rest_q;
  assign opens_o   = !charge ? opens_q : full > burst_i ? full - burst_i : 64'b0;
  assign shut_o    = `SLUICE_FAULT(7, opens_q > now_i, opens_q >= now_i && opens_q != '0);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      full_store[clear_port_i]  <= '0;
      rest_store[clear_port_i]  <= '0;
      opens_store[clear_port_i] <= '0;
    end else if (charge) begin
      full_store[port_i]  <= full;
      rest_store[port_i]  <= rest;
      opens_store[port_i] <= opens_o;
    end
    if (`SLUICE_FAULT(3, same_port_i, 1'b0) && !stall_i) begin
      full_q  <= full;
      rest_q  <= rest;
      opens_q <= opens_o;
    end else if (!stall_i) begin
      full_q  <= full_store[next_port_i];
      rest_q  <= rest_store[next_port_i];
      opens_q <= opens_store[next_port_i];
    end
  end
endmodule : shaper_bucket
`resetall
