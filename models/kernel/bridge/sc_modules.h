// SPDX-License-Identifier: Apache-2.0
// What a module shell needs of SystemC: modules, ports, exports and vectors of them, without the
// data types and channels that make <systemc> slow to compile. Leaves out: running a simulation.
#pragma once

#include <sysc/communication/sc_export.h>
#include <sysc/communication/sc_interface.h>
#include <sysc/communication/sc_port.h>
#include <sysc/kernel/sc_event.h>
#include <sysc/kernel/sc_module.h>
#include <sysc/utils/sc_vector.h>
