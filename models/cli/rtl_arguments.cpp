// SPDX-License-Identifier: Apache-2.0
#include "cli/rtl_arguments.h"

#include <sstream>

#include "cli/option_value.h"

namespace sluice {

RtlArguments::RtlArguments(TCLAP::CmdLine& line)
    : blocks_("", "rtl", "RTL in place of these blocks, such as mmu_admission,egress_scheduler",
              false, "", "BLOCK,...", line),
      scope_("", "rtl-scope", "RTL in this chip or NIC alone, such as leaf0", false, "", "NAME",
             line),
      compare_("", "rtl-compare",
               "the C++ blocks run beside the RTL; exit 6 at the first difference", line),
      fault_("", "rtl-fault", "activate a fault placed by hand in a block's RTL, to see it found",
             false, "", "BLOCK:N", line),
      record_("", "rtl-record",
              "write what the blocks are asked into this directory, for cosim --replay", false, "",
              "DIR", line) {}

RtlRequest RtlArguments::read() const {
  RtlRequest request;
  std::istringstream words(blocks_.getValue());
  for (std::string word; std::getline(words, word, ',');) request.blocks.push_back(word);
  request.scope = scope_.getValue();
  request.compare = compare_.getValue();
  request.record = record_.getValue();
  if (fault_.isSet()) {
    const std::string& text = fault_.getValue();
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
      throw ConfigError(fmt::format("--rtl-fault {}: expected BLOCK:N", text));
    }
    request.fault_block = text.substr(0, colon);
    request.fault = static_cast<int>(
        parse_option("--rtl-fault", text.substr(colon + 1), parse_unsigned) & 0xffff);
  }
  if (request.blocks.empty() && (request.compare || !request.fault_block.empty())) {
    throw ConfigError("--rtl-compare and --rtl-fault need --rtl: which blocks are in RTL");
  }
  if (!request.used() && !request.scope.empty()) {
    throw ConfigError("--rtl-scope needs --rtl or --rtl-record");
  }
  return request;
}

}  // namespace sluice
