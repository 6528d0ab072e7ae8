// SPDX-License-Identifier: Apache-2.0
// One queue of packets at an egress port: what describes each, the oldest in sight, and the bytes of
// all. Leaves out: the packets' cells (cell_buffer).
`default_nettype none
module slice_queue #(
  /// Packets, a power of two: as many as the buffer has cells, so that it never overflows.
  parameter int unsigned Packets  = 4096,
  parameter int unsigned DescBits = 32,
  localparam int unsigned PacketBits = $clog2(Packets)
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                push_i,
  input  wire logic [DescBits-1:0] push_desc_i,
  input  wire logic [13:0]         push_bytes_i,
  input  wire logic                pop_i,          // only while not empty
  output logic                     waits_o,        // a packet is there
  output logic [PacketBits:0]      packets_o,
  output logic [DescBits-1:0]      desc_o,
  output logic [13:0]              bytes_o,        // of the oldest packet
  output logic [31:0]              depth_o         // bytes of all packets
);
  localparam logic [PacketBits:0] One = 1;
  logic [DescBits+13:0]  fifo [Packets];
  logic [PacketBits-1:0] read_q, write_q;
  logic [PacketBits:0]   count_q;
  assign waits_o   = count_q != '0;
  assign packets_o = count_q;
  assign {desc_o, bytes_o} = fifo[read_q];
  always_ff @(posedge clk_i) begin
    if (push_i) fifo[write_q] <= {push_desc_i, push_bytes_i};
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {read_q, write_q} <= '0;
      count_q           <= '0;
      depth_o           <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i)  read_q  <= read_q + 1'b1;
      count_q <= count_q + (push_i ? One : '0) - (pop_i ? One : '0);
      depth_o <= depth_o + (push_i ? {18'b0, push_bytes_i} : '0) - (pop_i ? {18'b0, bytes_o} : '0);
    end
  end
`ifndef SYNTHESIS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> !count_q[PacketBits]);
  a_pop: assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> waits_o);
`endif
endmodule : slice_queue
`resetall
