// SPDX-License-Identifier: Apache-2.0
// Chakra's JSON form. Nodes are handed on and forgotten while the file is read.
// Leaves out: workload_name, ngpus and soc, which say nothing about the ops.
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>

#include "kernel/error.h"
#include "trace/chakra_node.h"

namespace sluice {
namespace {

using nlohmann::json;

class ReaderBuffer : public std::streambuf {
 public:
  explicit ReaderBuffer(ByteReader& reader) : reader_(reader) {}

 protected:
  int_type underflow() override {
    const std::size_t ahead = reader_.peek(65536).size();
    if (ahead == 0) return traits_type::eof();
    reader_.read(chunk_, ahead);
    setg(chunk_.data(), chunk_.data(), chunk_.data() + chunk_.size());
    return traits_type::to_int_type(chunk_[0]);
  }

 private:
  ByteReader& reader_;
  std::string chunk_;
};

class NodeReader {
 public:
  NodeReader(const std::string& file, const json& from) : file_(file), from_(from) {}

  void read(ChakraNode& node) {
    node = ChakraNode{};
    id_ = node.id = required("Id");
    node.type =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(required("NodeType"), UINT32_MAX));
    if (const json* name = find("Name"); name != nullptr && name->is_string()) node.name = *name;
    append(node.deps, "ctrlDeps");
    append(node.deps, "ctrl_deps");
    append(node.deps, "data_deps");
    if (const json* runtime = find("runtime"))
      node.duration_ps = micros_to_ps(file_, node.id, unsigned_of("runtime", *runtime));
    if (const json* cpu = find("is_cpu_op"))
      node.cpu_op = cpu->is_boolean() ? cpu->get<bool>() : integer("is_cpu_op", *cpu) != 0;
    if (const json* size = find("comm_size")) node.comm_size = unsigned_of("comm_size", *size);
    take("comm_type", node.comm_type);
    take("comm_src", node.comm_src);
    take("comm_dst", node.comm_dst);
    take("comm_tag", node.comm_tag);
    take("comm_root", node.comm_root);
    if (const json* group = find("pg_name"))
      node.group = group->is_string() ? group->get<std::string>()
                                      : std::to_string(integer("pg_name", *group));
    if (const json* dims = find("involved_dim"))
      for (const json& used : *dims) node.partial_dims |= used == json(false);
    append(node.send_splits, "comm_send_splits");
    append(node.recv_splits, "comm_recv_splits");
    append(node.counts, "comm_counts");
  }

 private:
  const json* find(const char* key) const {
    const auto at = from_.find(key);
    return at == from_.end() ? nullptr : &*at;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw TraceError(fmt::format("{}: node {}: {}", file_, id_, what));
  }
  std::int64_t integer(const char* key, const json& value) const {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
      fail(fmt::format("{} is {}, beyond 2^63", key, value.get<std::uint64_t>()));
    if (value.is_number_integer()) return value.get<std::int64_t>();
    fail(fmt::format("{} is {}, expected a whole number", key,
                     value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40)));
  }
  std::uint64_t unsigned_of(const char* key, const json& value) const {
    const std::int64_t number = integer(key, value);
    if (number < 0) fail(fmt::format("{} is {}, below 0", key, number));
    return static_cast<std::uint64_t>(number);
  }
  std::uint64_t required(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) fail(fmt::format("lacks the key {}", key));
    return unsigned_of(key, *value);
  }
  void take(const char* key, std::optional<std::int64_t>& to) const {
    if (const json* value = find(key)) to = integer(key, *value);
  }
  void append(std::vector<std::uint64_t>& to, const char* key) const {
    const json* list = find(key);
    if (list == nullptr) return;
    if (!list->is_array()) fail(fmt::format("{} is not a list", key));
    for (const json& value : *list) to.push_back(unsigned_of(key, value));
  }

  const std::string& file_;
  const json& from_;
  std::uint64_t id_ = 0;
};

}  // namespace

void read_chakra_json(ByteReader& reader, const ChakraSink& sink) {
  ReaderBuffer buffer(reader);
  std::istream stream(&buffer);
  bool in_graph = false;
  bool seen = false;
  ChakraNode node;
  const auto each = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      in_graph = parsed == json("workload_graph");
      seen |= in_graph;
    }
    if (depth != 2 || event != json::parse_event_t::object_end || !in_graph) return true;
    NodeReader(reader.name(), parsed).read(node);
    sink(node);
    return false;  // forget it
  };
  try {
    const json rest = json::parse(stream, each);
  } catch (const json::parse_error& error) {
    throw TraceError(fmt::format("{}: byte {}: not JSON, or truncated: {}", reader.name(),
                                 error.byte == 0 ? 0 : error.byte - 1, error.what()));
  }
  if (!seen)
    throw TraceError(
        fmt::format("{}: byte 0: JSON without a workload_graph: not a Chakra trace "
                    "(Kineto and PyTorch execution traces are not read)",
                    reader.name()));
}

}  // namespace sluice
