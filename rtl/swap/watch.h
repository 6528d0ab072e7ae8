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
  /// The C++ block alone, unrecorded.
  bool plain() const { return !rtl && record.empty(); }
};

/// First line of a record; the number changes with the meaning of any line of any block.
inline std::string record_head(std::string_view block) { return fmt::format("record {} 1", block); }

/// A record is record_head, the block's configuration, its requests, "end REQUESTS".
class Watch {
 public:
  Watch(std::string_view block, const BlockPlace& place, const std::string& record)
      : block_(block), place_(place), path_(record) {
    if (path_.empty()) return;
    record_.open(path_, std::ios::trunc);
    this->record(record_head(block));
  }
  /// Also where an error ends the run: the record is whole up to it.
  ~Watch() {
    if (records()) record_ << "end " << transaction_ << std::endl;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  bool records() const { return !path_.empty(); }
  /// A line of the record, as the block's bench reads it back.
  void record(const std::string& line) {
    record_ << line << '\n';
    if (!record_) throw ConfigError(fmt::format("--rtl-record: cannot write {}", path_));
  }

  void next() { ++transaction_; }
  /// Counts a request, whose number is in the message of a difference, and records it; `line` makes
  /// its line.
  template <class Line>
  void next(const Line& line) {
    ++transaction_;
    if (records()) record(line());
  }
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
  std::string path_;  ///< of the record; empty: none
  std::uint64_t transaction_ = 0;
  std::ofstream record_;
};

}  // namespace sluice::rtl
