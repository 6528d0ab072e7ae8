// SPDX-License-Identifier: Apache-2.0
#include "cli/rtl_arguments.h"

#include <algorithm>
#include <sstream>

#include "cli/option_value.h"

namespace sluice {

RtlArguments::RtlArguments(TCLAP::CmdLine& line)
    : blocks_("", "rtl",
              "RTL in place of these C++ blocks, such as mmu_admission,egress_scheduler; the "
              "result stays the same",
              false, "", "BLOCK,...", line),
      scope_("", "rtl-scope",
             "RTL (and --rtl-record) in this chip or NIC alone, such as leaf0 or nic3", false, "",
             "NAME", line),
      compare_("", "rtl-compare",
               "the C++ blocks of --rtl run beside the RTL; exit 6 at the first difference", line),
      fault_("", "rtl-fault",
             "activate fault N of a block of --rtl, placed by hand; add --rtl-compare to see it "
             "found",
             false, "", "BLOCK:N", line),
      record_("", "rtl-record",
              "write what all blocks are asked into DIR/BLOCK.CHIP_OR_NIC.txt, for cosim BLOCK "
              "--replay; works without --rtl too",
              false, "", "DIR", line) {}

RtlRequest RtlArguments::read() const {
  RtlRequest request;
  for (const TCLAP::ValueArg<std::string>* option : {&blocks_, &scope_, &record_}) {
    if (!option->isSet() || !option->getValue().empty()) continue;
    throw ConfigError(fmt::format("--{}: expected {}, found nothing", option->getName(),
                                  option == &record_ ? "a directory" : "a name"));
  }
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
    const std::uint64_t fault = parse_option("--rtl-fault", text.substr(colon + 1), parse_unsigned);
    request.fault = static_cast<int>(std::min<std::uint64_t>(fault, 0xffff));  // no block has more
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
