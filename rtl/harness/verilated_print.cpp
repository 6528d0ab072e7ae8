// SPDX-License-Identifier: Apache-2.0
#include "rtl/harness/verilated_print.h"

#include <array>
#include <cstdarg>
#include <cstdio>

#include "rtl/harness/rtl_context.h"

void sluice_verilated_print(const char* format, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  VerilatedContext* const context = Verilated::threadContextp();
  const VerilatedContext* const of_no_model = Verilated::defaultContextp();
  Verilated::threadContextp(context);  // a context takes the thread when it is made
  if (context == of_no_model) {
    std::fputs(text.data(), stderr);
  } else {  // contexts are made by RtlModel alone
    static_cast<sluice::rtl::RtlContext*>(context)->said += text.data();
  }
}
