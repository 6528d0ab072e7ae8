// SPDX-License-Identifier: Apache-2.0
// Half the clock, and a flop behind it: what must not race with a flop outside (B85).
`default_nettype none
module divided_flop (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [7:0] data_i,
  output logic            half_clk_o,
  output logic [7:0]      data_o       // changes with the rising edge of half_clk_o
);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      half_clk_o <= 1'b0;
      data_o     <= '0;
    end else begin
      half_clk_o <= !half_clk_o;
      if (!half_clk_o) data_o <= data_i;
    end
  end
endmodule : divided_flop
`resetall
