// SPDX-License-Identifier: Apache-2.0
// Cells that an account of a shared buffer may hold: alpha = 2^n of what its pool has left (less
// what its port holds, at a port level), or a static limit; then the port's own reserve and limit.
// Combinational. Leaves out: alphas that are not powers of two.
`default_nettype none
module dynamic_threshold #(
  /// Width of a count of cells, 17 to 32.
  parameter int unsigned CellBits = 27,
  /// Two alphas of up to 2^8 and a sign.
  localparam int unsigned LimitBits = CellBits + 18
) (
  input  wire logic [CellBits-1:0]         pool_limit_i,
  input  wire logic [CellBits-1:0]         pool_used_i,
  input  wire logic [CellBits-1:0]         to_pool_i,       // about to come into the pool
  input  wire logic [4:0]                  alpha_i,         // n of 2^n, -8 to 8
  input  wire logic                        static_i,
  input  wire logic [CellBits-1:0]         static_limit_i,
  input  wire logic                        port_level_i,    // alpha (port_alpha (pool) - port)
  input  wire logic [4:0]                  port_alpha_i,
  input  wire logic [CellBits-1:0]         port_used_i,
  input  wire logic [CellBits-1:0]         others_i,        // held by the port's other accounts
  input  wire logic [CellBits-1:0]         reserve_i,       // of the port, beyond the pool; 0: none
  input  wire logic                        limited_i,
  input  wire logic [CellBits-1:0]         port_limit_i,
  output logic signed [LimitBits-1:0]      limit_o          // negative: none
);
  typedef logic signed [LimitBits-1:0] limit_t;

  function automatic limit_t extended(input logic [CellBits-1:0] x);
    extended = $signed({{(LimitBits - CellBits){1'b0}}, x});
  endfunction
  /// floor(2^n x), x >= 0.
  function automatic limit_t scaled(input limit_t x, input logic [4:0] n);
    logic [3:0] minus;
    minus  = -n[3:0];
    scaled = n[4] ? x >>> minus : x <<< n[3:0];
  endfunction

  limit_t left, dynamic, own, cap;
  always_comb begin
    left = extended(pool_limit_i) - extended(pool_used_i) - extended(to_pool_i);
    if (port_level_i && !left[LimitBits-1]) begin
      left = scaled(left, port_alpha_i) - extended(port_used_i) - extended(to_pool_i);
    end
    if (left[LimitBits-1]) dynamic = '1;
    else                   dynamic = static_i ? extended(static_limit_i) : scaled(left, alpha_i);
    // Cells of the port's reserve are its own whatever the pool holds; its limit comes last.
    own = extended(reserve_i) - extended(others_i);
    cap = extended(port_limit_i) - extended(others_i);
    limit_o = dynamic < own ? own : dynamic;
    if (limited_i && limit_o > cap) limit_o = cap;
  end

  if (CellBits < 17 || CellBits > 32) begin : g_chk_cell_bits
    $error("CellBits must be 17 to 32");
  end
endmodule : dynamic_threshold
`resetall
