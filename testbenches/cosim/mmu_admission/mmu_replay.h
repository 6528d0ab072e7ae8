// SPDX-License-Identifier: Apache-2.0
// Reads a record of an MMU back (rtl/mmu_admission/mmu_record.h writes it).
// Leaves out: what is done with its requests (mmu_admission_bench.cpp).
#pragma once

#include "switch/mmu/mmu.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {

struct MmuSetup {
  MmuParams params;
  MmuGeometry geometry;
};

MmuSetup read_mmu_setup(RecordReader& in);

struct MmuReplayed {
  MmuRequest request;
  bool release = false;
};
/// Of the line at hand.
MmuReplayed read_mmu_request(RecordReader& in, const MmuGeometry& geometry);

}  // namespace sluice::cosim
