// SPDX-License-Identifier: Apache-2.0
// Whose turn of four it is: the first that wants from the one after the last on. Leaves out: those
// that may not when it is their turn; it has passed then.
`default_nettype none
module slice_turn (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [3:0] wants_i,
  output logic [1:0]      first_o,                 // looked at first
  output logic [1:0]      port_o
);
  always_comb begin
    port_o = first_o;
    for (int unsigned i = 0; i < 4; i++) begin
      if (wants_i[first_o + 2'(3 - i)]) port_o = first_o + 2'(3 - i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni)            first_o <= '0;
    else if (wants_i != '0) first_o <= port_o + 2'd1;
  end
endmodule : slice_turn
`resetall
