// SPDX-License-Identifier: Apache-2.0
// Faults placed by hand, to prove that a bench sees them. `SLUICE_FAULT(id, good, bad) is (good)
// unless SLUICE_MUTATE is defined and the plusarg +sluice_fault=<id> is given; lint and synthesis
// read the good expression alone.
`ifndef SLUICE_FAULT_SVH
`define SLUICE_FAULT_SVH
`ifdef SLUICE_MUTATE
`define SLUICE_FAULT(id, good, bad) ((fault_id == (id)) ? (bad) : (good))
`define SLUICE_FAULT_DECL \
  int fault_id; \
  initial begin \
    fault_id = 0; \
    if (!$value$plusargs("sluice_fault=%d", fault_id)) fault_id = 0; \
  end
`else
`define SLUICE_FAULT(id, good, bad) (good)
`define SLUICE_FAULT_DECL
`endif
`endif
