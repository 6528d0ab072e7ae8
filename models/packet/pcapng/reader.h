// SPDX-License-Identifier: Apache-2.0
// Reads captures a frame at a time: pcapng and classic pcap, of either byte order and any time
// resolution. Leaves out: what frames mean, and blocks that hold no frame.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace sluice::pcapng {

/// A time of day as finely as the model's; captures count from 1970 or from anything else.
struct CaptureTime {
  std::int64_t seconds = 0;
  std::uint64_t picoseconds = 0;  ///< below 10^12

  auto operator<=>(const CaptureTime&) const = default;
};
/// later - earlier; negative when they are the other way round. Saturates after 106 days.
std::int64_t picoseconds_between(const CaptureTime& earlier, const CaptureTime& later);

struct CaptureInterface {
  std::string name;  ///< empty: not given
  std::uint32_t link_type = 0;
  std::uint32_t fcs_bytes = 0;  ///< at the end of each frame; 0 also when not given
};

struct CapturedFrame {
  std::uint32_t interface = 0;
  CaptureTime time;
  std::uint32_t wire_bytes = 0;  ///< length before the capture cut it
  std::uint64_t position = 0;    ///< byte of its record in the file
  std::vector<std::uint8_t> bytes;
};

class Reader {
 public:
  /// Reads the head of the file; `name` is for messages. Throws TraceError, one line with name,
  /// byte, what is there and what was expected.
  Reader(std::istream& in, std::string name);

  /// The next frame; false at the end. Throws like the constructor.
  bool next(CapturedFrame& frame);

  const CaptureInterface& interface(std::uint32_t number) const { return interfaces_[number].what; }
  std::size_t interface_count() const { return interfaces_.size(); }
  const std::string& name() const { return name_; }
  const std::string& format() const { return format_; }  ///< "pcapng" or "pcap"
  /// Set once the end was met inside a block or record: one line on what is missing there.
  const std::string& torn() const { return torn_; }

 private:
  struct Interface {
    CaptureInterface what;
    std::uint64_t ticks_per_second = 1'000'000;
    std::int64_t offset_seconds = 0;
  };

  bool next_block(CapturedFrame& frame);
  bool next_record(CapturedFrame& frame);
  bool read_block(std::uint32_t& type);
  void read_section();
  void start_classic(std::uint32_t magic);
  void start_section();
  void add_interface();
  void take_options(std::size_t from, Interface& interface);
  void take_option(std::uint16_t code, std::size_t at, std::size_t length, Interface& interface);
  void take_packet(std::uint32_t type, CapturedFrame& frame);
  void take_bytes(std::size_t from, std::uint32_t captured, CapturedFrame& frame);
  CaptureTime time_of(const Interface& interface, std::uint64_t ticks) const;
  std::size_t fill(std::uint8_t* to, std::size_t bytes);
  std::uint64_t field(std::size_t at, unsigned bytes) const;
  [[noreturn]] void refuse(std::uint64_t at, const std::string& what) const;

  std::istream& in_;
  std::string name_;
  std::string format_;
  std::string torn_;
  bool big_endian_ = false;
  std::uint64_t position_ = 0;     ///< of the stream
  std::uint64_t block_start_ = 0;  ///< of the block or record in `block_`
  std::vector<std::uint8_t> block_;
  std::uint32_t first_interface_ = 0;  ///< of this section
  std::vector<Interface> interfaces_;
  CaptureTime last_time_;
};

}  // namespace sluice::pcapng
