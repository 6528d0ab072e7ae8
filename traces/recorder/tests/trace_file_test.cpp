// SPDX-License-Identifier: Apache-2.0
// The order in which nodes reach the file while a receive is open, and the bytes of the encoding.
// Leaves out: everything that needs MPI (check_every_call.py).
#include "recorder/trace_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice::recorder {
namespace {

class TraceFileTest : public testing::Test {
 protected:
  ~TraceFileTest() override { std::remove(path_.c_str()); }
  static Bytes node(char letter) { return Bytes(1, letter); }
  /// Letters of the nodes in file order. A message here is: length 3, id (2 bytes), letter.
  std::string letters() const {
    std::ifstream in(path_, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::string result;
    for (std::size_t at = 1; at + 3 < all.size(); at += 4) result += all[at + 3];
    return result;
  }
  std::string path_ = testing::TempDir() + "trace_file_test.et";
};

TEST_F(TraceFileTest, NodesWaitBehindAnOpenOneAndKeepTheirOrder) {
  TraceFile file;
  ASSERT_TRUE(file.open(path_, {}));
  const NodeId open = file.reserve();
  const NodeId second = file.reserve();
  file.fill(second, node('b'));
  const NodeId third = file.reserve();
  file.fill(third, node('c'));
  file.fill(open, node('a'));
  ASSERT_TRUE(file.close());
  EXPECT_EQ(letters(), "abc");
  EXPECT_EQ(file.written(), 3U);
}

TEST_F(TraceFileTest, ADroppedNodeLeavesAGapInTheIdsOnly) {
  TraceFile file;
  ASSERT_TRUE(file.open(path_, {}));
  const NodeId dropped = file.reserve();
  const NodeId kept = file.reserve();
  file.fill(kept, node('b'));
  file.drop(dropped);
  ASSERT_TRUE(file.close());
  EXPECT_EQ(letters(), "b");
  EXPECT_EQ(kept, dropped + 1);
  EXPECT_EQ(file.dropped(), 1U);
}

TEST_F(TraceFileTest, BeyondTheLimitNodesPassAnOpenOne) {
  TraceFile file(8);  // two nodes of 4 bytes
  ASSERT_TRUE(file.open(path_, {}));
  const NodeId open = file.reserve();
  for (const char letter : {'b', 'c', 'd'}) file.fill(file.reserve(), node(letter));
  file.fill(open, node('a'));
  file.fill(file.reserve(), node('e'));
  ASSERT_TRUE(file.close());
  EXPECT_EQ(letters(), "bcdae");
  EXPECT_EQ(file.open_nodes(), 0U);
}

TEST_F(TraceFileTest, AFullDiskIsNoticed) {
  if (std::ifstream("/dev/full").fail()) GTEST_SKIP() << "no /dev/full here";
  TraceFile file;
  ASSERT_TRUE(file.open("/dev/full", {}));
  file.fill(file.reserve(), node('a'));
  EXPECT_FALSE(file.close());
}

// Values from the examples of protobuf's encoding guide: 150 is 96 01, field 1 of it 08 96 01,
// field 2 "testing" 12 07 ..., field 6 packed {3, 270, 86942} 32 06 03 8e 02 9e a7 05.
TEST(Wire, EncodesAsTheProtobufGuideShows) {
  Bytes out;
  put_uint(out, 1, 150);
  EXPECT_EQ(out, Bytes("\x08\x96\x01", 3));
  out.clear();
  put_string(out, 2, "testing");
  EXPECT_EQ(out, Bytes("\x12\x07testing", 9));
  out.clear();
  put_packed(out, 6, {3, 270, 86942});
  EXPECT_EQ(out, Bytes("\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8));
}

}  // namespace
}  // namespace sluice::recorder
