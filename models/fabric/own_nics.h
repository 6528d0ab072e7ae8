// SPDX-License-Identifier: Apache-2.0
// What a fabric file says of the NICs of single hosts: parameters of their own (`nics`) and the
// datagrams that they send (`workload: {type: ud}`). Leaves out: what all NICs share.
#pragma once

#include "config/config_node.h"
#include "fabric/fabric_spec.h"

namespace sluice {

/// `dcqcn: {preset: …}` of a NIC's section: the set that its other keys change.
DcqcnParams dcqcn_settings(ConfigNode& nic);
/// `nics: {host5: {…}}`; what they do not say is as in `nic`.
void read_own_nics(ConfigNode& root, FabricSpec& spec);
/// The work requests of `workload: {type: verbs}`, likewise.
void read_verbs(ConfigNode& workload, FabricSpec& spec);

/// The streams of `workload: {type: ud}`; the NICs are read already.
void read_ud(ConfigNode& workload, FabricSpec& spec);

}  // namespace sluice
