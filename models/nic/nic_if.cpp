// SPDX-License-Identifier: Apache-2.0
#include "nic/nic_if.h"

#include "kernel/error.h"

namespace sluice {

void NicClient::on_qp_error(const std::string& reason) { throw StallError(reason); }

}  // namespace sluice
