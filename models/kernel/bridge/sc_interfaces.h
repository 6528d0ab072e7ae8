// SPDX-License-Identifier: Apache-2.0
// SystemC's base of interfaces alone. <systemc> whole would cost each of the many files that see an
// interface two seconds to compile. Leaves out: modules and ports (sc_modules.h).
#pragma once

#include <sysc/communication/sc_interface.h>
