// SPDX-License-Identifier: Apache-2.0
// A block in a running fabric as model and RTL side by side: which of them is asked, what is
// compared, what is recorded. Leaves out: blocks whose RTL is the C++ block's derived class
// (PFC) or whose model keeps what the RTL is given (ar_select, cell_buffer).
#pragma once

#include <utility>

#include "rtl/swap/watch.h"

namespace sluice::rtl {

template <class Model, class Twin = Model>
class Both {
 public:
  /// `twin` null: the model answers, its requests are recorded.
  Both(std::string_view block, std::unique_ptr<Model> model, std::unique_ptr<Twin> twin,
       const BlockPlace& place, const SwapMode& mode)
      : watch_(block, place, mode.record),
        model_(std::move(model)),
        twin_(std::move(twin)),
        compare_(mode.compare || twin_ == nullptr) {}

  /// One request: `line` makes its line of the record, `text` its text in a message,
  /// call(model or twin) asks for the answer, agree(model's answer, RTL's, expect) compares, with
  /// expect(signal, model, RTL).
  template <class Line, class Text, class Call, class Agree>
  auto ask(const Line& line, const Text& text, const Call& call, const Agree& agree) {
    watch_.next(line);
    if (!twin_) return call(*model_);
    if (!compare_) return watch_.ask([&] { return call(*twin_); }, text);
    auto model = call(*model_);
    auto rtl = watch_.ask([&] { return call(*twin_); }, text);
    agree(model, rtl, [&](std::string_view signal, const auto& of_model, const auto& of_rtl) {
      watch_.expect(signal, of_model, of_rtl, text);
    });
    return rtl;
  }

  Watch& watch() { return watch_; }
  Model& model() const { return *model_; }
  Twin& twin() const { return *twin_; }  ///< only where both are compared or RTL answers
  bool compares() const { return compare_; }
  /// read(of): of the RTL where it answers, else of the model.
  template <class Read>
  decltype(auto) shown(const Read& read) const {
    return twin_ ? read(*twin_) : read(*model_);
  }

 private:
  Watch watch_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Twin> twin_;
  bool compare_;
};

}  // namespace sluice::rtl
