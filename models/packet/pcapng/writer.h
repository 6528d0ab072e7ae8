// SPDX-License-Identifier: Apache-2.0
// Writes a pcapng file of Ethernet frames with FCS: one section, an interface a port, nanoseconds.
// Leaves out: comments, statistics, name resolution and compression.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "kernel/clock_rate.h"
#include "kernel/time.h"

namespace sluice::pcapng {

class Writer {
 public:
  /// Creates the file; throws ConfigError when it cannot be written.
  explicit Writer(const std::string& path);

  /// Describes the next interface and returns its number. Before the first frame of it.
  std::uint32_t add_interface(const std::string& name, BitsPerSecond speed);
  /// `frame` is complete, with its FCS; `fcs_good` says whether that is right. Times are rounded
  /// down to a nanosecond.
  void write(std::uint32_t interface, Ps time, std::span<const std::uint8_t> frame,
             bool fcs_good = true);
  /// Throws ConfigError unless all has reached the file.
  void close();

  std::uint64_t frames() const { return frames_; }

 private:
  void put16(std::uint32_t value);
  void put32(std::uint64_t value);
  void put_option(std::uint16_t code, std::span<const std::uint8_t> value);
  std::size_t begin_block(std::uint32_t type);
  void end_block(std::size_t start);
  void pad();
  void flush();

  std::string path_;
  std::ofstream out_;
  std::vector<std::uint8_t> buffer_;
  std::uint32_t interfaces_ = 0;
  std::uint64_t frames_ = 0;
};

}  // namespace sluice::pcapng
