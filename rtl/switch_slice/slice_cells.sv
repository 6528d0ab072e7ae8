// SPDX-License-Identifier: Apache-2.0
// Cells of the slice: at each ingress port they wait for their frame's verdict, then go to the
// memory and to the list of (ingress port, egress port, queue), a cell a clock; egress ports fetch
// them from there, a cell a clock. Ports come in turn. Leaves out: the MMU's counts.
//
//   cells x 4 -> FIFO -> [verdict] -> cell_memory_banks, cell_buffer -> [list: 1] -> [data: 1] -> cell
`default_nettype none
`include "sluice_fault.svh"
module slice_cells #(
  /// Cells of the memory, a power of two.
  parameter int unsigned Cells = 4096,
  localparam int unsigned Ports    = 4,
  localparam int unsigned CellBits = $clog2(Cells)
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // Cells that come at the ports.
  input  wire logic [Ports-1:0]     in_valid_i,
  output logic [Ports-1:0]          in_ready_o,
  input  wire logic [Ports-1:0]     in_last_i,
  input  wire logic [Ports*10-1:0]  in_bytes_i,
  input  wire logic [Ports*512-1:0] in_word_i,
  // Of the next frame of an ingress port: kept, and for whom.
  input  wire logic                 verdict_valid_i,
  input  wire logic [1:0]           verdict_ingress_i,
  input  wire logic                 verdict_keep_i,
  input  wire logic [1:0]           verdict_egress_i,
  input  wire logic [2:0]           verdict_queue_i,
  // An egress port wants the next cell of {ingress port, queue}; it comes two clocks later.
  input  wire logic [Ports-1:0]     fetch_valid_i,
  input  wire logic [Ports*5-1:0]   fetch_list_i,
  output logic [Ports-1:0]          fetch_take_o,
  output logic [Ports-1:0]          cell_valid_o,
  output logic [521:0]              cell_o,        // bytes, word
  output logic [CellBits:0]         used_o
);
  `SLUICE_FAULT_DECL
  localparam int unsigned Banks    = 8;
  localparam int unsigned Rows     = Cells / 4;    // twice the cells: no bank fills up alone
  localparam int unsigned RowBits  = $clog2(Rows);
  localparam int unsigned DeepBits = 4;            // cells at a port
  localparam int unsigned KeptBits = 3;            // verdicts at a port
  localparam int unsigned WordBits = 1 + 10 + 512;

  logic [Ports-1:0]          kept, refused, take;
  logic [Ports*WordBits-1:0] fronts;
  logic [Ports*5-1:0]        targets;              // egress port, queue
  logic [Ports-1:0]          firsts;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [WordBits-1:0] cells [2**DeepBits];
    logic [5:0]          verdicts [2**KeptBits];
    logic [DeepBits:0]   read_q, write_q;
    logic [KeptBits:0]   verdict_read_q, verdict_write_q;
    logic                push, known, pop, last, inside_q;
    assign in_ready_o[p] = write_q - read_q != (DeepBits+1)'(2**DeepBits);
    assign push  = in_valid_i[p] && in_ready_o[p];
    assign known = read_q != write_q && verdict_read_q != verdict_write_q;
    assign kept[p]    = known && verdicts[verdict_read_q[KeptBits-1:0]][5];
    assign refused[p] = known && !verdicts[verdict_read_q[KeptBits-1:0]][5];
    assign fronts[p*WordBits +: WordBits] = cells[read_q[DeepBits-1:0]];
    assign targets[p*5 +: 5] = verdicts[verdict_read_q[KeptBits-1:0]][4:0];
    assign firsts[p] = !inside_q;
    assign last = fronts[p*WordBits + WordBits-1] || `SLUICE_FAULT(115, 1'b0, refused[p]);
    assign pop  = take[p] || refused[p];
    always_ff @(posedge clk_i) begin
      if (push) begin
        cells[write_q[DeepBits-1:0]] <= {in_last_i[p], in_bytes_i[p*10 +: 10],
                                         in_word_i[p*512 +: 512]};
      end
      if (verdict_valid_i && verdict_ingress_i == 2'(p)) begin
        verdicts[verdict_write_q[KeptBits-1:0]] <= {verdict_keep_i, verdict_egress_i,
                                                    verdict_queue_i};
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        {read_q, write_q} <= '0;
        {verdict_read_q, verdict_write_q} <= '0;
        inside_q <= 1'b0;
      end else begin
        if (push) write_q <= write_q + 1'b1;
        if (pop)  read_q  <= read_q + 1'b1;
        if (pop)  inside_q <= !last;
        if (pop && last) verdict_read_q <= verdict_read_q + 1'b1;
        if (verdict_valid_i && verdict_ingress_i == 2'(p)) verdict_write_q <= verdict_write_q + 1'b1;
      end
    end
`ifndef SYNTHESIS
    a_verdicts: assert property (@(posedge clk_i) disable iff (!rst_ni)
      verdict_write_q - verdict_read_q <= (KeptBits+1)'(2**KeptBits));
`endif
  end

  // A cell into its list and the memory.
  localparam int unsigned TagPad = 32 - 10 - 3 - RowBits;
  logic [1:0]          from, write_first_q;
  logic                write, wr_ready, enq_ready, enq_last;
  logic [9:0]          enq_bytes;
  logic [511:0]        enq_word;
  logic [2:0]          wr_bank;
  logic [RowBits-1:0]  wr_row;
  logic [CellBits-1:0] unused_cell;
  assign write = kept != '0;
  assign {enq_last, enq_bytes, enq_word} = fronts[32'(from)*WordBits +: WordBits];
  slice_turn u_write_turn (.clk_i, .rst_ni, .wants_i(kept), .first_o(write_first_q), .port_o(from));
  always_comb begin
    take = '0;
    take[from] = write;
  end

  // And out of it. The list's tag has the cell's place and bytes.
  logic                deq_valid, deq_ready, c_valid, r_valid, unused_first, unused_last;
  logic [1:0]          to, fetch_first_q, c_port_q, r_port_q;
  logic [6:0]          deq_list;
  logic [CellBits-1:0] c_cell;
  logic [31:0]         c_tag;
  logic [9:0]          r_bytes_q;
  logic [511:0]        r_word;
  assign deq_valid = fetch_valid_i != '0;
  assign deq_list  = {fetch_list_i[32'(to)*5 + 3 +: 2], to, fetch_list_i[32'(to)*5 +: 3]};
  slice_turn u_fetch_turn (.clk_i, .rst_ni, .wants_i(fetch_valid_i), .first_o(fetch_first_q),
                           .port_o(to));
  always_comb begin
    fetch_take_o = '0;
    fetch_take_o[to] = deq_valid && deq_ready;
    cell_valid_o = '0;
    cell_valid_o[r_port_q] = r_valid;
  end
  always_ff @(posedge clk_i) begin
    c_port_q  <= `SLUICE_FAULT(117, to, fetch_first_q);
    r_port_q  <= c_port_q;
    r_bytes_q <= c_tag[RowBits + 3 +: 10];
  end
  assign cell_o = {r_bytes_q, r_word};

  cell_buffer #(.Cells(Cells), .Queues(128)) u_lists (
    .clk_i, .rst_ni, .cells_i((CellBits+1)'(Cells)),
    .enq_valid_i(write), .enq_ready_o(enq_ready),
    .enq_queue_i({`SLUICE_FAULT(116, from, 2'd0), targets[32'(from)*5 +: 5]}),
    .enq_first_i(firsts[from]), .enq_last_i(enq_last),
    .enq_tag_i({{TagPad{1'b0}}, enq_bytes, wr_bank, wr_row}), .enq_cell_o(unused_cell),
    .deq_valid_i(deq_valid), .deq_ready_o(deq_ready), .deq_queue_i(deq_list),
    .out_valid_o(c_valid), .out_cell_o(c_cell), .out_first_o(unused_first),
    .out_last_o(unused_last), .out_tag_o(c_tag),
    .rel_valid_i(c_valid), .rel_cell_i(c_cell), .used_o);
  cell_memory_banks #(.Banks(Banks), .Rows(Rows), .DataBits(512)) u_memory (
    .clk_i, .rst_ni, .rows_i((RowBits+1)'(Rows)),
    .wr_valid_i(write), .wr_ready_o(wr_ready), .wr_data_i(enq_word), .wr_bank_o(wr_bank),
    .wr_row_o(wr_row),
    .rd_valid_i(c_valid), .rd_bank_i(c_tag[RowBits +: 3]), .rd_row_i(c_tag[RowBits-1:0]),
    .out_valid_o(r_valid), .out_data_o(r_word),
    .rel_valid_i(c_valid), .rel_bank_i(c_tag[RowBits +: 3]), .rel_row_i(c_tag[RowBits-1:0]));

  logic unused;
  assign unused = ^{unused_cell, unused_first, unused_last, c_tag[31 -: TagPad], wr_ready, enq_ready,
                    write_first_q, fetch_first_q};
`ifndef SYNTHESIS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) write |-> wr_ready && enq_ready);
`endif
endmodule : slice_cells
`resetall
