// SPDX-License-Identifier: Apache-2.0
// Index of the lowest bit that is set in 64; 0 where none is.
// Leaves out: telling none from bit 0.
`default_nettype none
module first_set (
  input  wire logic [63:0] bits_i,
  output logic [5:0]       index_o
);
  logic [63:0] lowest;
  always_comb begin
    lowest     = bits_i & (~bits_i + 64'd1);
    index_o[0] = |(lowest & 64'haaaaaaaaaaaaaaaa);
    index_o[1] = |(lowest & 64'hcccccccccccccccc);
    index_o[2] = |(lowest & 64'hf0f0f0f0f0f0f0f0);
    index_o[3] = |(lowest & 64'hff00ff00ff00ff00);
    index_o[4] = |(lowest & 64'hffff0000ffff0000);
    index_o[5] = |(lowest & 64'hffffffff00000000);
  end
endmodule : first_set
`resetall
