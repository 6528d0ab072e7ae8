// SPDX-License-Identifier: Apache-2.0
// A record of what a block in a running fabric was asked (run --rtl-record), read line by line:
// "record BLOCK VERSION", its configuration, a line a request, "end REQUESTS". Whatever is damaged
// is refused with file, line and what was expected. Leaves out: what the lines between mean
// (testbenches/cosim/<block>/), writing them (rtl/swap/watch.h).
#pragma once

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {

/// A line is at hand from the start. Its words are taken one by one; a word that is left over when
/// the next line is asked for is refused too.
class RecordReader {
 public:
  /// Opens run.options().replay. Throws ConfigError unless it is a record of `block`.
  RecordReader(BenchRun& run, std::string_view block);

  /// Takes the line at hand as configuration where it is of this kind.
  bool config(std::string_view kind);
  /// The same, where nothing else may stand here.
  void expect_config(std::string_view kind);
  /// Takes the next line behind the configuration; false at the end of the record, where as many
  /// transactions must have been counted as the block had requests.
  bool next();

  const std::string& line() const { return text_; }
  std::string_view kind() const { return kind_; }
  bool more_words() const { return at_ < text_.size(); }
  /// The next word, whose name is that in the description of the record.
  template <class T>
  T number(std::string_view name, T most = std::numeric_limits<T>::max()) {
    return static_cast<T>(whole_number(name, most));
  }
  bool flag(std::string_view name) { return whole_number(name, 1) != 0; }
  double real(std::string_view name, double most);
  /// A number below `count`.
  std::uint32_t index(std::string_view name, std::size_t count);
  /// All that is left of the line.
  std::string rest();
  /// Takes all that is left where the caller has read line() itself and found it good.
  void whole_line(bool good, std::string_view form);
  [[noreturn]] void refuse(std::string_view expected) const;

 private:
  void advance(std::string_view expected);
  void end_of_line() const;
  void end_of_record();
  std::string_view word();
  std::uint64_t whole_number(std::string_view name, std::uint64_t most);

  BenchRun& run_;
  std::ifstream in_;
  std::uint64_t number_ = 0;  ///< of the line
  bool at_hand_ = false;      ///< the line was not taken yet
  std::string text_;
  std::size_t at_ = 0;  ///< where the next word starts
  std::string_view kind_;
};

}  // namespace sluice::cosim
