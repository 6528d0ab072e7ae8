// SPDX-License-Identifier: Apache-2.0
// Takes the place of printf in Verilator's runtime (VL_PRINTF). Leaves out: namespaces, which the
// runtime's own files could not name.
#pragma once

/// Keeps the text with the thread's RtlContext; outside of any RtlModel it goes to stderr.
void sluice_verilated_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
