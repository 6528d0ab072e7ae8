// SPDX-License-Identifier: Apache-2.0
// Chakra traces that must be refused: one line that names file, position, what and why.
// Leaves out: files of other kinds (sources_test.cpp).
#include "unit/trace/trace_files.h"

namespace sluice {
namespace {

using testing::chakra_file;
using testing::collective;
using testing::contains;
using testing::NodeMaker;

class ChakraRefusal : public testing::TraceFolder {
 protected:
  std::string error_of_nodes(const std::vector<NodeMaker>& nodes) const {
    write("t.0.et", chakra_file(nodes));
    write("t.1.et", chakra_file(nodes));
    std::string text = error();
    EXPECT_TRUE(contains(text, "t.0.et")) << text;
    return text;
  }
};

TEST_F(ChakraRefusal, NamesTheFileOfAMissingRank) {
  write("t.0.et", chakra_file({collective(0, 0, 8)}));
  write("t.2.et", chakra_file({collective(0, 0, 8)}));
  EXPECT_TRUE(contains(error(), "rank 1 is missing: t.1.et")) << error();
}

TEST_F(ChakraRefusal, NamesCyclesInOrder) {
  EXPECT_TRUE(contains(error_of_nodes({collective(3, 0, 8).after(3)}), "3 -> 3"));
  EXPECT_TRUE(contains(error_of_nodes({collective(1, 0, 8).after(2), NodeMaker(2, 4).control(7),
                                       NodeMaker(7, 4).after(1)}),
                       "1 -> 2 -> 7 -> 1"));
}

TEST_F(ChakraRefusal, NamesADanglingDependency) {
  EXPECT_TRUE(contains(error_of_nodes({collective(1, 0, 8).control(77)}),
                       "node 1 depends on node 77, which is not in the file"));
}

TEST_F(ChakraRefusal, LeavesADependencyOnACollectiveThatOneRankLacksToTheRun) {
  write("t.0.et", chakra_file({collective(1, 0, 8), collective(2, 0, 16).after(1),
                               collective(3, 0, 32).after(2)}));
  write("t.1.et", chakra_file({collective(1, 0, 8), collective(3, 0, 32).after(2)}));
  const TraceImport trace = import();
  EXPECT_EQ(trace.workload.ranks[0].ops.size(), 3U);
  EXPECT_EQ(trace.workload.ranks[1].ops.size(), 2U);
  EXPECT_TRUE(contains(trace.notes.front(), "node 3 depends on node 2, which is not in the file"));
}

TEST_F(ChakraRefusal, NamesAnIdGivenTwice) {
  EXPECT_TRUE(contains(error_of_nodes({collective(1, 0, 8), collective(1, 0, 8)}), "node id 1"));
}

TEST_F(ChakraRefusal, DoesNotTakeTextOrNegativeOrMissingSizes) {
  NodeMaker text(4, 7);
  text.number("comm_type", 0).text("comm_size", "4096");
  EXPECT_TRUE(contains(error_of_nodes({text}), "comm_size is the string '4096'"));
  EXPECT_TRUE(contains(error_of_nodes({collective(4, 0, -1)}), "comm_size is -1"));
  NodeMaker empty(4, 7);
  empty.number("comm_type", 0).attribute("comm_size");
  EXPECT_TRUE(contains(error_of_nodes({empty}), "comm_size has no value"));
  EXPECT_TRUE(contains(error_of_nodes({NodeMaker(4, 7).number("comm_type", 0)}),
                       "node 4 ('n'): communication without comm_size"));
}

TEST_F(ChakraRefusal, DoesNotGuessACollective) {
  EXPECT_TRUE(contains(error_of_nodes({NodeMaker(4, 7, "foo").number("comm_size", 8)}),
                       "without comm_type"));
  EXPECT_TRUE(contains(error_of_nodes({collective(4, 12, 8)}), "comm_type 12 is not one of 0..9"));
  EXPECT_TRUE(contains(error_of_nodes({NodeMaker(4, 9)}), "node type 9"));
  EXPECT_TRUE(contains(error_of_nodes({NodeMaker(4, 0)}), "node type 0"));
}

TEST_F(ChakraRefusal, ANameOfSeveralLinesStaysInOne) {
  EXPECT_TRUE(contains(error_of_nodes({NodeMaker(4, 7, "a\nb").number("comm_type", 0)}), "'a?b'"));
}

TEST_F(ChakraRefusal, NamesAGroupThatTheSideFileLacks) {
  write("comm_group.json", R"({"0": [0, 1]})");
  EXPECT_TRUE(contains(error_of_nodes({collective(0, 0, 8).text("pg_name", "1")}),
                       "process group '1' is not in comm_group.json"));
}

TEST_F(ChakraRefusal, NamesARankOfAGroupThatHasNoFile) {
  write("comm_group.json", R"({"1": [0, 1, 5]})");
  write("t.0.et", chakra_file({collective(0, 0, 8).text("pg_name", "1")}));
  write("t.1.et", chakra_file({collective(0, 0, 8).text("pg_name", "1")}));
  EXPECT_TRUE(contains(error(), "names rank 5, but the trace has 2 ranks")) << error();
}

TEST_F(ChakraRefusal, AGroupOfSomeRanksWithoutSideFileIsAmbiguous) {
  write("t.0.et", chakra_file({collective(0, 0, 8).text("pg_name", "1")}));
  write("t.1.et", chakra_file({collective(0, 0, 8)}));
  EXPECT_TRUE(contains(error(), "group '1' is used by 1 of 2 ranks")) << error();
}

TEST_F(ChakraRefusal, APartOfTheDimensionsIsAmbiguous) {
  NodeMaker node = collective(0, 0, 8);
  auto& dims = *node.attribute("involved_dim").mutable_bool_list();
  dims.add_values(true);
  dims.add_values(false);
  EXPECT_TRUE(contains(error_of_nodes({node}), "involved_dim"));
}

TEST_F(ChakraRefusal, APeerOrRootOutOfRangeIsNamed) {
  EXPECT_TRUE(
      contains(error_of_nodes({NodeMaker(0, 5).number("comm_size", 8).number("comm_dst", 2)}),
               "comm_dst is 2, but there are 2 ranks"));
  EXPECT_TRUE(contains(error_of_nodes({NodeMaker(0, 6).number("comm_size", 8)}), "lacks comm_src"));
  EXPECT_TRUE(
      contains(error_of_nodes({collective(0, 5, 8).number("comm_root", -2)}), "comm_root is -2"));
}

TEST_F(ChakraRefusal, ATruncatedFileNamesTheByte) {
  const std::string whole = chakra_file({collective(0, 0, 8), collective(1, 0, 8)});
  write("t.0.et", whole.substr(0, whole.size() - 3));
  EXPECT_TRUE(contains(error(), "truncated file")) << error();
  EXPECT_TRUE(contains(
      error(), fmt::format("byte {}", testing::head().size() + collective(0, 0, 8).frame().size())))
      << error();
}

TEST_F(ChakraRefusal, AHugeLengthIsNotAllocated) {
  write("t.0.et", testing::head() + std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + "x");
  EXPECT_TRUE(contains(error(), "only 1 B are left")) << error();
  write("t.0.et", testing::head() + std::string(20, '\xff'));
  EXPECT_TRUE(contains(error(), "more than 9 bytes")) << error();
}

TEST_F(ChakraRefusal, AnOldSchemaIsRecognised) {
  write("t.0.et", NodeMaker(1, 7).frame() + NodeMaker(2, 7).frame());
  EXPECT_TRUE(contains(error(), "starts with a node")) << error();
  chakra::Node old;
  old.set_id(1);
  old.set_type(7);
  old.add_old_attributes("x");
  write("t.0.et", testing::head("0.0.3") + testing::frame(old.SerializeAsString()));
  EXPECT_TRUE(contains(error(), "a schema before 0.0.4")) << error();
}

TEST_F(ChakraRefusal, RubbishInAFrameNamesTheByte) {
  write("t.0.et", testing::head() + testing::frame("\x0a\xff\xff"));
  EXPECT_TRUE(contains(error(), "byte 8: message of 3 B is not a Chakra node")) << error();
}

TEST_F(ChakraRefusal, ATraceWhoseCollectivesHaveNoSizeIsNotAnEmptyRun) {
  EXPECT_TRUE(contains(
      [this] {
        write("t.0.et", chakra_file({NodeMaker(0, 7), NodeMaker(1, 4).micros(5)}));
        return error();
      }(),
      "none has a comm_size"));
}

TEST_F(ChakraRefusal, JsonErrorsNameTheByte) {
  write("t.0.json", "{\"workload_graph\": [{\"Id\": 1,");
  EXPECT_TRUE(contains(error(), "byte 29")) << error();
  write("t.0.json", "{\"traceEvents\": []}");
  EXPECT_TRUE(contains(error(), "without a workload_graph")) << error();
  write("t.0.json", "{\"workload_graph\": [{\"Id\": 1, \"NodeType\": 7, \"comm_size\": \"9\"}]}");
  EXPECT_TRUE(contains(error(), "node 1: comm_size is \"9\"")) << error();
}

}  // namespace
}  // namespace sluice
