// SPDX-License-Identifier: Apache-2.0
// What every block in a running fabric that RTL stands in for needs: where it is, how many requests
// it has had, the message when model and RTL differ, and the record of its requests.
// Leaves out: the blocks' own requests and answers (rtl/<block>/<block>_swap.cpp).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "kernel/block_place.h"
#include "kernel/error.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

/// What stands in for the blocks of one kind at one place.
struct SwapMode {
  bool rtl = false;      ///< the RTL answers
  bool compare = false;  ///< the model answers too, and must agree
  std::string record;    ///< file that takes the requests, one a line; empty: none
  RtlOptions options;
};

class Watch {
 public:
  Watch(std::string_view block, const BlockPlace& place, const std::string& record)
      : block_(block), place_(place) {
    if (record.empty()) return;
    record_.open(record, std::ios::trunc);
    if (!record_) throw ConfigError(fmt::format("--rtl-record: cannot write {}", record));
  }

  bool records() const { return record_.is_open(); }
  /// A line of the record, as the block's bench reads it back.
  void record(const std::string& line) { record_ << line << '\n'; }

  /// Counts a request; the number is in the message of a difference.
  void next() { ++transaction_; }
  /// Throws RtlMismatchError unless both are equal; `request` makes the request's text.
  template <class Model, class Rtl, class Text>
  void expect(std::string_view signal, const Model& model, const Rtl& rtl, const Text& request) {
    if (model == static_cast<Model>(rtl)) [[likely]]
      return;
    differ(fmt::format("{}: model {}, RTL {}", signal, model, rtl), request());
  }
  /// `call()`, which drives the RTL; what its assertions say becomes a difference of this request.
  template <class Call, class Text>
  auto ask(const Call& call, const Text& request) {
    try {
      return call();
    } catch (const RtlError& error) {
      differ(error.what(), request());
    }
  }
  [[noreturn]] void differ(std::string_view what, std::string_view request) const {
    throw RtlMismatchError(fmt::format(
        "RTL differs from the model: {} in {} at {:.6f} us, transaction {} ({}): {}", block_,
        place_.instance, place_.wheel == nullptr ? 0 : place_.wheel->now().microseconds(),
        transaction_, request, what));
  }

 private:
  std::string block_;
  BlockPlace place_;
  std::uint64_t transaction_ = 0;
  std::ofstream record_;
};

}  // namespace sluice::rtl
