// SPDX-License-Identifier: Apache-2.0
// How many of 64 bits are set.
// Leaves out: registers; the sum is one path of six adders.
`default_nettype none
module count_set (
  input  wire logic [63:0] bits_i,
  output logic [6:0]       count_o
);
  // Sums of pairs, then of fours, and so on, side by side in one word.
  logic [63:0] by2, by4, by8, by16, by32;
  always_comb begin
    by2     = bits_i - ((bits_i >> 1) & 64'h5555555555555555);
    by4     = (by2 & 64'h3333333333333333) + ((by2 >> 2) & 64'h3333333333333333);
    by8     = (by4 + (by4 >> 4)) & 64'h0f0f0f0f0f0f0f0f;
    by16    = (by8 + (by8 >> 8)) & 64'h00ff00ff00ff00ff;
    by32    = by16 + (by16 >> 16);
    count_o = by32[6:0] + by32[38:32];
  end
  logic unused;
  assign unused = &{1'b0, by32[63:39], by32[31:7]};
endmodule : count_set
`resetall
