// SPDX-License-Identifier: Apache-2.0
#include "collective/collective.h"

#include "collective/algorithms.h"
#include "kernel/error.h"

namespace sluice {

CollectiveLibrary::CollectiveLibrary(const CollectiveParams& params)
    : ring_(make_ring()),
      chain_(make_chain(params.pipeline_slice, params.pipeline_window)),
      star_(make_star(params.all_to_all_window)),
      pairwise_(make_pairwise(params.all_to_all_window)),
      dissemination_(make_dissemination()) {
  params.validate();
}

const CollectiveAlgorithm& CollectiveLibrary::algorithm(OpKind kind) const {
  switch (kind) {
    case OpKind::kAllReduce:
    case OpKind::kAllGather:
    case OpKind::kReduceScatter:
      return *ring_;
    case OpKind::kBroadcast:
    case OpKind::kReduce:
      return *chain_;
    case OpKind::kGather:
    case OpKind::kScatter:
      return *star_;
    case OpKind::kAllToAll:
      return *pairwise_;
    case OpKind::kBarrier:
      return *dissemination_;
    default:
      break;
  }
  SLUICE_CHECK(false, "op kind {} is no collective", static_cast<int>(kind));
}

}  // namespace sluice
