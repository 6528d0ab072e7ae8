// SPDX-License-Identifier: Apache-2.0
// Time that bytes take at the rate of a token bucket, exactly: whole ps, and the rest in 1/rate ps.
// The table of buckets is read with the request, the answer comes two clocks that do not stall
// later. Leaves out: what the bucket holds (shaper_bucket).
`default_nettype none
module shaper_time #(
  /// Buckets in the table.
  parameter int unsigned Rows = 64,
  localparam int unsigned RowBits    = $clog2(Rows),
  localparam int unsigned BytesBits  = 14,
  localparam int unsigned RateBits   = 41,
  localparam int unsigned FactorBits = 81,
  localparam int unsigned PointBits  = 58,           // of the time of a byte
  localparam int unsigned TimeBits   = FactorBits + BytesBits - PointBits
) (
  input  wire logic                  clk_i,
  input  wire logic                  write_i,
  input  wire logic [RowBits-1:0]    write_row_i,
  input  wire logic [RateBits-1:0]   write_rate_i,      // bit/s; 0: no shaper
  input  wire logic [63:0]           write_burst_i,     // ps
  input  wire logic [FactorBits-1:0] write_byte_i,      // ps of a byte x 2^58, rounded up
  input  wire logic                  stall_i,
  input  wire logic [RowBits-1:0]    row_i,
  input  wire logic [BytesBits-1:0]  bytes_i,
  output logic [RateBits-1:0]        rate_o,
  output logic [63:0]                burst_o,
  output logic [TimeBits-1:0]        time_o,            // ps
  output logic [RateBits-1:0]        rest_o             // 1/rate ps
);
  localparam int unsigned BucketBits = RateBits + 64 + FactorBits;
  localparam logic [42:0] BytePs     = 43'd8_000_000_000_000;  // at 1 bit/s

  logic [BucketBits-1:0] buckets [Rows];
  always_ff @(posedge clk_i) begin
    if (write_i) buckets[write_row_i] <= {write_rate_i, write_burst_i, write_byte_i};
  end

  // The factor is rounded up by less than 2^-58, times 2^14 bytes: never to another whole number,
  // as fractions are multiples of 1/rate > 2^-41.
  logic [BucketBits-1:0] bucket;
  logic [RateBits-1:0]   rate_q;
  logic [63:0]           burst_q;
  logic [TimeBits-1:0]   time_q;
  logic [BytesBits-1:0]  bytes_q;
  assign bucket = buckets[row_i];
  always_ff @(posedge clk_i) begin
    if (!stall_i) begin
      {rate_q, burst_q} <= bucket[BucketBits-1 -: RateBits + 64];
      time_q  <= TimeBits'((bucket[FactorBits-1:0] * (FactorBits + BytesBits)'(bytes_i))
                           >> PointBits);
      bytes_q <= bytes_i;
    end
  end

  // What is left is less than the rate, so that its low bits are enough.
  always_ff @(posedge clk_i) begin
    if (!stall_i) begin
      rate_o  <= rate_q;
      burst_o <= burst_q;
      time_o  <= time_q;
      rest_o  <= RateBits'(bytes_q) * RateBits'(BytePs) - RateBits'(time_q) * rate_q;
    end
  end
endmodule : shaper_time
`resetall
