// SPDX-License-Identifier: Apache-2.0
// The memory that cells' data lie in: banks of one port each. Every clock one cell is read where it
// lies, one is written into a bank that is not read, and one place becomes free. The memory picks
// the place of a write: the next bank from the one after the last written that has a free row.
// Leaves out: who reads when, ECC.
`default_nettype none
`include "sluice_fault.svh"
module cell_memory_banks #(
  /// Banks, 2 to 64.
  parameter int unsigned Banks    /*verilator public*/ = 8,
  /// Cells of a bank, a power of two: 4 to 2^20.
  parameter int unsigned Rows     /*verilator public*/ = 1024,
  /// Bits of a cell.
  parameter int unsigned DataBits /*verilator public*/ = 64,
  /// Clocks from a read to its data.
  localparam int unsigned Latency = 1,
  localparam int unsigned BankBits = $clog2(Banks),
  localparam int unsigned RowBits  = $clog2(Rows)
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [RowBits:0]    rows_i,         // rows in use of each bank, 1 to Rows; at rest
  // Write: the place is the answer, in the same clock.
  input  wire logic                wr_valid_i,
  output logic                     wr_ready_o,     // a bank that is not read has a free row
  input  wire logic [DataBits-1:0] wr_data_i,
  output logic [BankBits-1:0]      wr_bank_o,
  output logic [RowBits-1:0]       wr_row_o,
  // Read: always taken.
  input  wire logic                rd_valid_i,
  input  wire logic [BankBits-1:0] rd_bank_i,
  input  wire logic [RowBits-1:0]  rd_row_i,
  output logic                     out_valid_o,
  output logic [DataBits-1:0]      out_data_o,
  // A place becomes free; from the next clock on it can be written.
  input  wire logic                rel_valid_i,
  input  wire logic [BankBits-1:0] rel_bank_i,
  input  wire logic [RowBits-1:0]  rel_row_i
);
  `SLUICE_FAULT_DECL
  localparam logic [BankBits-1:0] LastBank = BankBits'(Banks - 1);

  logic [Banks-1:0]         has_row, reading, open;
  logic [Banks*RowBits-1:0] rows;                  // that a write would get
  logic [BankBits-1:0]      first_q, after_chosen;
  logic                     write;

  always_comb begin
    reading = '0;
    reading[rd_bank_i] = rd_valid_i;
    open = `SLUICE_FAULT(1, has_row, '1) & ~`SLUICE_FAULT(2, reading, '0);
    wr_bank_o = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      if (open[Banks-1-b]) wr_bank_o = BankBits'(Banks - 1 - b);
    end
    for (int unsigned b = 0; b < Banks; b++) begin
      if (open[Banks-1-b] && `SLUICE_FAULT(3, BankBits'(Banks - 1 - b) >= first_q, 1'b1)) begin
        wr_bank_o = BankBits'(Banks - 1 - b);
      end
    end
  end
  assign wr_ready_o   = open != '0;
  assign wr_row_o     = rows[32'(wr_bank_o)*RowBits +: RowBits];
  assign write        = wr_valid_i && wr_ready_o;
  assign after_chosen = (wr_bank_o == LastBank) ? '0 : wr_bank_o + 1'b1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) first_q <= `SLUICE_FAULT(4, '0, first_q);
    else if (`SLUICE_FAULT(5, write, wr_ready_o)) first_q <= `SLUICE_FAULT(6, after_chosen, wr_bank_o);
  end

  logic [BankBits-1:0]       out_bank_q;
  logic [Banks*DataBits-1:0] words;
  logic [BankBits-1:0]       out_bank;
  assign out_bank   = `SLUICE_FAULT(7, out_bank_q, rd_bank_i);
  assign out_data_o = words[32'(out_bank)*DataBits +: DataBits];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_o <= 1'b0;
    else         out_valid_o <= rd_valid_i;
  end
  always_ff @(posedge clk_i) if (rd_valid_i) out_bank_q <= rd_bank_i;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [DataBits-1:0] data [Rows];
    logic [DataBits-1:0] read_q;
    logic [RowBits-1:0]  row;
    logic                write_this, read_this, free_this;
    logic [RowBits:0]    unused_used;
    assign write_this = write && wr_bank_o == BankBits'(b);
    assign read_this  = rd_valid_i && rd_bank_i == BankBits'(b);
    assign free_this  = rel_valid_i && `SLUICE_FAULT(8, rel_bank_i, wr_bank_o) == BankBits'(b);
    // One port: an address, and either a write or a read.
    assign row = write_this ? wr_row_o : rd_row_i;
    always_ff @(posedge clk_i) begin
      if (write_this) data[row] <= wr_data_i;
      else if (read_this) read_q <= data[row];
    end
    assign words[b*DataBits +: DataBits] = read_q;
    free_list #(.Slots(Rows), .FirstFault(9)) u_free (
      .clk_i,
      .rst_ni,
      .limit_i      (rows_i),
      .ready_o      (has_row[b]),
      .slot_o       (rows[b*RowBits +: RowBits]),
      .take_i       (write_this),
      .give_valid_i (free_this),
      .give_slot_i  (rel_row_i),
      .used_o       (unused_used)
    );
`ifndef SYNTHESIS
    a_one_port: assert property (@(posedge clk_i) disable iff (!rst_ni) !(write_this && read_this));
`endif
  end

  if (Banks < 2 || Banks > 64) begin : g_chk_banks
    $error("Banks must be 2 to 64");
  end
`ifndef SYNTHESIS
  a_latency: assert property (@(posedge clk_i) disable iff (!rst_ni || !$past(rst_ni, Latency))
    out_valid_o == $past(rd_valid_i, Latency));
  a_banks: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rd_valid_i |-> rd_bank_i <= LastBank));
`endif
endmodule : cell_memory_banks
`resetall
