// SPDX-License-Identifier: Apache-2.0
// Arithmetic of cells, included by each part of rtl/mmu_admission in its body, after
// `SLUICE_FAULT_DECL; the module has the parameter CellBits. Leaves out: the limits themselves
// (rtl/prim/dynamic_threshold.sv).
  localparam int unsigned LimitBits = CellBits + 18;            // two alphas of up to 2^8, sign
  typedef logic [CellBits-1:0]         count_t;
  typedef logic [CellBits:0]           sum_t;
  typedef logic signed [LimitBits-1:0] limit_t;

  function automatic sum_t sum(input count_t a, input count_t b);
    sum = {1'b0, a} + {1'b0, b};
  endfunction
  function automatic limit_t wide(input sum_t x);
    wide = $signed({{(LimitBits - CellBits - 1){1'b0}}, x});
  endfunction
  /// Cells that a pool gains when a port that holds `held` takes `more`: those beyond its reserve.
  function automatic count_t beyond(input count_t reserve, input count_t held, input count_t more);
    if (held >= reserve)                          beyond = more;
    else if (sum(held, more) > {1'b0, reserve})   beyond = more - (reserve - held);
    else                                          beyond = '0;
  endfunction
  /// Of a group's headroom, what comes from the pool that groups share.
  function automatic count_t pool_part(input logic has_pool, input count_t taken,
                                       input count_t own);
    pool_part = has_pool && taken > own ? `SLUICE_FAULT(9, taken - own, taken) : '0;
  endfunction
