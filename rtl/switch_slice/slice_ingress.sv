// SPDX-License-Identifier: Apache-2.0
// Ingress pipe of four ports: heads of frames, oldest first, one a clock into the parser. Payload
// does not pass here (slice_cells). Leaves out: what slice_parser does.
//
//   heads -> [arbiter: 2 clocks] -> [parser: 1] -> classified
`default_nettype none
module slice_ingress #(
  parameter int unsigned CellBytes = 512,
  localparam int unsigned Ports = 4,
  localparam int unsigned HeadBits = 272           // what the parser reads
) (
  input  wire logic                      clk_i,
  input  wire logic                      rst_ni,
  // Configuration of the parser, at rest.
  input  wire logic                      host_valid_i,
  input  wire logic [3:0]                host_index_i,
  input  wire logic [31:0]               host_address_i,
  input  wire logic [1:0]                host_port_i,
  input  wire logic                      class_valid_i,
  input  wire logic [5:0]                class_dscp_i,
  input  wire logic [2:0]                class_pg_i,
  input  wire logic [2:0]                class_queue_i,
  // First bytes of a frame at each port.
  input  wire logic [Ports-1:0]          in_valid_i,
  output logic [Ports-1:0]               in_ready_o,
  input  wire logic [Ports*HeadBits-1:0] in_head_i,
  // A frame's port and what the parser read of it.
  output logic                           valid_o,
  output logic [1:0]                     ingress_o,
  output logic                           hit_o,
  output logic [1:0]                     egress_o,
  output logic [2:0]                     pg_o,
  output logic [2:0]                     queue_o,
  output logic [13:0]                    bytes_o,
  output logic [4:0]                     cells_o,
  output logic                           ect_o
);
  logic                granted;
  logic [1:0]          granted_port;
  logic [HeadBits-1:0] head;
  ingress_arbiter #(.Ports(Ports), .FifoPackets(8), .DescBits(HeadBits), .OldestFirst(1)) u_arbiter (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o, .in_desc_i(in_head_i), .out_valid_o(granted),
    .out_ready_i(1'b1), .out_port_o(granted_port), .out_desc_o(head));
  slice_parser #(.Hosts(16), .CellBytes(CellBytes)) u_parser (
    .clk_i, .rst_ni, .host_valid_i, .host_index_i, .host_address_i, .host_port_i, .class_valid_i,
    .class_dscp_i, .class_pg_i, .class_queue_i, .word_i(head), .hit_o, .port_o(egress_o), .pg_o,
    .queue_o, .bytes_o, .cells_o, .ect_o);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_o <= 1'b0;
    else         valid_o <= granted;
  end
  always_ff @(posedge clk_i) ingress_o <= granted_port;
endmodule : slice_ingress
`resetall
