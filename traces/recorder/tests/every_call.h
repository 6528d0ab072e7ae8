// SPDX-License-Identifier: Apache-2.0
// What the parts of the every-call program share: its rank, buffers, and the list of what it does.
// Leaves out: the calls (every_message.cpp, every_collective.cpp, every_communicator.cpp).
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace sluice::recorder {

constexpr int kRanks = 4;

/// What the trace must hold, one line a node, in the order of the calls.
class Expected {
 public:
  explicit Expected(const std::string& path) : out_(path) {}
  void collective(const char* name, int type, int bytes, const char* group, int root = -1,
                  const std::string& lists = "") {
    out_ << "coll " << name << " type=" << type << " bytes=" << bytes << " root=" << root
         << " group=" << group << lists << '\n';
  }
  void send(const char* name, int from, int to, int bytes, int tag) {
    out_ << "send " << name << " src=" << from << " dst=" << to << " bytes=" << bytes
         << " tag=" << tag << '\n';
  }
  void recv(const char* name, int from, int to, int bytes, int tag) {
    out_ << "recv " << name << " src=" << from << " dst=" << to << " bytes=" << bytes
         << " tag=" << tag << '\n';
  }

 private:
  std::ofstream out_;
};

struct Test {
  int me = 0;
  Expected expected;
  std::vector<double> a = std::vector<double>(256);
  std::vector<double> b = std::vector<double>(256);
  int right() const { return (me + 1) % kRanks; }
  int left() const { return (me + kRanks - 1) % kRanks; }
};

void make_every_message(Test& test);
void make_every_collective(Test& test);
void make_every_communicator(Test& test);

}  // namespace sluice::recorder
