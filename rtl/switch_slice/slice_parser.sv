// SPDX-License-Identifier: Apache-2.0
// Reads the first word of a frame (Ethernet, IPv4): where it goes, in which class and how long it
// is. One word a clock, answered in the next. Leaves out: VLAN tags, IPv6, checks of the header.
`default_nettype none
`include "sluice_fault.svh"
module slice_parser #(
  /// Entries of the host table.
  parameter int unsigned Hosts = 16,
  /// Bytes of a cell, a power of two.
  parameter int unsigned CellBytes = 512,
  localparam int unsigned HostBits  = $clog2(Hosts),
  localparam int unsigned CellShift = $clog2(CellBytes)
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  // Configuration, at rest.
  input  wire logic                host_valid_i,
  input  wire logic [HostBits-1:0] host_index_i,
  input  wire logic [31:0]         host_address_i,
  input  wire logic [1:0]          host_port_i,
  input  wire logic                class_valid_i,
  input  wire logic [5:0]          class_dscp_i,
  input  wire logic [2:0]          class_pg_i,
  input  wire logic [2:0]          class_queue_i,
  // First bytes of a frame; byte i is bits 8 i to 8 i + 7.
  input  wire logic [271:0]        word_i,
  output logic                     hit_o,          // IPv4 to a host of the table
  output logic [1:0]               port_o,
  output logic [2:0]               pg_o,
  output logic [2:0]               queue_o,
  output logic [13:0]              bytes_o,        // from destination MAC to FCS
  output logic [4:0]               cells_o,
  output logic                     ect_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned OutsideIp = 14 + 4;      // Ethernet header and FCS
  localparam int unsigned Smallest  = 64;

  logic [Hosts-1:0] set_q, match;
  logic [31:0]      addresses [Hosts];
  logic [1:0]       ports [Hosts];
  logic [5:0]       classes [64];
  always_ff @(posedge clk_i) begin
    if (!rst_ni)           set_q <= '0;
    else if (host_valid_i) set_q[host_index_i] <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (host_valid_i) begin
      addresses[host_index_i] <= host_address_i;
      ports[host_index_i]     <= host_port_i;
    end
    if (class_valid_i) classes[class_dscp_i] <= {class_pg_i, class_queue_i};
  end

  logic [15:0] ether_type, ip_length, length, padded;
  logic [7:0]  tos;
  logic [31:0] destination;
  logic [1:0]  port;
  assign ether_type  = {word_i[12*8 +: 8], word_i[13*8 +: 8]};
  assign tos         = word_i[15*8 +: 8];
  assign ip_length   = {word_i[16*8 +: 8], word_i[17*8 +: 8]};
  assign destination = {word_i[30*8 +: 8], word_i[31*8 +: 8], word_i[32*8 +: 8], word_i[33*8 +: 8]};
  assign length      = ip_length + `SLUICE_FAULT(101, 16'(OutsideIp), 16'd14);
  assign padded      = length < 16'(Smallest) ? 16'(Smallest) : length;
  always_comb begin
    port = '0;
    for (int unsigned i = 0; i < Hosts; i++) begin
      match[i] = set_q[i] && addresses[i][31:8] == destination[31:8]
                 && `SLUICE_FAULT(103, addresses[i][7:0] == destination[7:0], 1'b1);
      if (match[i]) port = port | ports[i];
    end
  end
  always_ff @(posedge clk_i) begin
    hit_o   <= match != '0 && `SLUICE_FAULT(104, ether_type == 16'h0800, 1'b1);
    port_o  <= port;
    {pg_o, queue_o} <= classes[`SLUICE_FAULT(105, tos[7:2], tos[5:0])];
    bytes_o <= padded[13:0];
    cells_o <= 5'((padded + `SLUICE_FAULT(102, 16'(CellBytes - 1), 16'(CellBytes))) >> CellShift);
    ect_o   <= tos[1:0] != 2'b00;
  end

  logic unused;
  assign unused = ^{word_i[95:0], word_i[119:112], word_i[239:144], padded[15:14]};
endmodule : slice_parser
`resetall
