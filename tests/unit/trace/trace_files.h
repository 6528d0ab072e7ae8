// SPDX-License-Identifier: Apache-2.0
// Tiny traces made by tests: a folder that goes away, Chakra files node by node, NCCL log lines.
// Leaves out: archives, which the tests of sources make themselves.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernel/error.h"
#include "models/trace/chakra.pb.h"
#include "trace/trace.h"

namespace sluice::testing {

class TraceFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("sluice-{}-{}-{}", ::getpid(), info->test_suite_name(), info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  TraceImport import() const { return import_trace({folder_}); }
  std::string error() const { return error_of({folder_}); }
  static std::string error_of(const std::vector<std::filesystem::path>& paths) {
    try {
      import_trace(paths);
    } catch (const TraceError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string frame(const std::string& message) {
  std::string text;
  std::uint64_t length = message.size();
  for (; length >= 0x80; length >>= 7) text += static_cast<char>((length & 0x7f) | 0x80);
  text += static_cast<char>(length);
  return text + message;
}

/// A Chakra node under construction.
class NodeMaker {
 public:
  NodeMaker(std::uint64_t id, std::uint32_t type, const std::string& name = "n") {
    node_.set_id(id);
    node_.set_type(type);
    node_.set_name(name);
  }
  NodeMaker& after(std::uint64_t id) {
    node_.add_data_deps(id);
    return *this;
  }
  NodeMaker& control(std::uint64_t id) {
    node_.add_control_deps(id);
    return *this;
  }
  NodeMaker& micros(std::uint64_t micros) {
    node_.set_duration_micros(micros);
    return *this;
  }
  chakra::Attribute& attribute(const std::string& name) {
    chakra::Attribute& attribute = *node_.add_attributes();
    attribute.set_name(name);
    return attribute;
  }
  NodeMaker& number(const std::string& name, std::int64_t value) {
    attribute(name).set_int64_value(value);
    return *this;
  }
  NodeMaker& text(const std::string& name, const std::string& value) {
    attribute(name).set_string_value(value);
    return *this;
  }
  NodeMaker& list(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& to = *attribute(name).mutable_int64_list();
    for (const std::int64_t value : values) to.add_values(value);
    return *this;
  }
  std::string frame() const { return testing::frame(node_.SerializeAsString()); }

 private:
  chakra::Node node_;
};

inline NodeMaker collective(std::uint64_t id, std::int64_t type, std::int64_t size) {
  return NodeMaker(id, 7).number("comm_type", type).number("comm_size", size);
}

inline std::string head(const std::string& version = "0.0.4") {
  chakra::GlobalMetadata metadata;
  metadata.set_version(version);
  return frame(metadata.SerializeAsString());
}

inline std::string chakra_file(const std::vector<NodeMaker>& nodes,
                               const std::string& version = "0.0.4") {
  std::string content = head(version);
  for (const NodeMaker& node : nodes) content += node.frame();
  return content;
}

/// "node0:100:101 [0] NCCL INFO …" of rank r of a process each.
inline std::string nccl_prefix(unsigned rank) {
  return fmt::format("node{}:{}:{} [0] NCCL INFO ", rank / 8, 100 + rank, 1000 + rank);
}
inline std::string nccl_init(unsigned process, const std::string& pointer, unsigned rank,
                             unsigned nranks, const std::string& id) {
  return nccl_prefix(process) +
         fmt::format(
             "ncclCommInitRank comm {} rank {} nranks {} cudaDev 0 nvmlDev 0 busId 1000 "
             "commId {} - Init COMPLETE\n",
             pointer, rank, nranks, id);
}
inline std::string nccl_op_text(const std::string& op, const std::string& pointer,
                                std::uint64_t count, unsigned nranks, unsigned root = 0,
                                const std::string& op_count = "0",
                                const std::string& stream = "0x500") {
  return fmt::format(
      "{}: opCount {} sendbuff 0x1 recvbuff 0x2 count {} datatype 7 op 0 root {} "
      "comm {} [nranks={}] stream {}\n",
      op, op_count, count, root, pointer, nranks, stream);
}

}  // namespace sluice::testing
