// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/harness/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "kernel/error.h"
#include "rtl/swap/watch.h"

namespace sluice::cosim {
namespace {

constexpr std::size_t kShown = 72;  // characters of a line in a message

/// Of any bytes, what goes into one line of text.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, kShown));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kShown ? out + "…" : out;
}

}  // namespace

RecordReader::RecordReader(BenchRun& run, std::string_view block)
    : run_(run), in_(run.options().replay, std::ios::binary) {
  if (!in_) throw ConfigError(fmt::format("--replay {}: cannot read it", run.options().replay));
  const std::string head = rtl::record_head(block);
  advance(fmt::format("'{}'", head));
  if (text_ != head) {
    refuse(fmt::format("'{}', with which run --rtl-record starts a record of this block", head));
  }
  advance("configuration");
}

bool RecordReader::config(std::string_view kind) {
  if (!at_hand_) {
    end_of_line();
    advance("a request or 'end REQUESTS'");
  }
  if (kind_ != kind) return false;
  at_hand_ = false;
  return true;
}

void RecordReader::expect_config(std::string_view kind) {
  if (!config(kind)) refuse(fmt::format("a line '{} …' of the configuration", kind));
}

bool RecordReader::next() {
  if (!at_hand_) {
    end_of_line();
    advance("a request or 'end REQUESTS'");
  }
  at_hand_ = false;
  if (kind_ != "end") return true;
  end_of_record();
  return false;
}

void RecordReader::end_of_record() {
  const std::uint64_t requests = number<std::uint64_t>("REQUESTS");
  end_of_line();
  if (requests != run_.transactions()) {
    refuse(fmt::format("'end {}', as many as there are requests", run_.transactions()));
  }
  if (requests == 0) refuse("a request: the record holds no requests");
  if (in_.peek() != std::ifstream::traits_type::eof()) refuse("nothing behind this line");
}

void RecordReader::advance(std::string_view expected) {
  ++number_;
  run_.at_record_line(number_);
  at_ = 0;
  at_hand_ = true;
  if (!std::getline(in_, text_)) {
    throw ConfigError(fmt::format("--replay {}:{}: expected {}, found the end of the file",
                                  run_.options().replay, number_, expected));
  }
  if (in_.eof()) refuse("a line feed at the end of the line: the record is cut");
  kind_ = word();
}

void RecordReader::end_of_line() const {
  if (more_words()) {
    refuse(fmt::format("the end of the line before '{}'", shown(text_.substr(at_))));
  }
}

std::string_view RecordReader::word() {
  const std::size_t start = at_;
  const std::size_t end = std::min(text_.find(' ', start), text_.size());
  at_ = std::min(end + 1, text_.size());
  return std::string_view(text_).substr(start, end - start);
}

std::uint64_t RecordReader::whole_number(std::string_view name, std::uint64_t most) {
  const std::string_view text = word();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) {
    refuse(fmt::format("{}, a number of 0 to {}, and not '{}'", name, most, shown(text)));
  }
  return value;
}

double RecordReader::real(std::string_view name, double most) {
  const std::string_view text = word();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !(value >= 0 && value <= most)) {
    refuse(fmt::format("{}, a number from 0 to {}, and not '{}'", name, most, shown(text)));
  }
  return value;
}

std::uint32_t RecordReader::index(std::string_view name, std::size_t count) {
  if (count == 0) refuse(fmt::format("configuration that has a {} first", name));
  return static_cast<std::uint32_t>(whole_number(name, count - 1));
}

std::string RecordReader::rest() {
  std::string text = text_.substr(at_);
  at_ = text_.size();
  return text;
}

void RecordReader::whole_line(bool good, std::string_view form) {
  if (!good) refuse(fmt::format("'{}'", form));
  at_ = text_.size();
}

void RecordReader::refuse(std::string_view expected) const {
  throw ConfigError(fmt::format("--replay {}:{}: expected {}, found '{}'", run_.options().replay,
                                number_, expected, shown(text_)));
}

}  // namespace sluice::cosim
