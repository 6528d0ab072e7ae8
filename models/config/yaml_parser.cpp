// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_parser.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <functional>
#include <optional>
#include <sstream>

#include "kernel/error.h"

namespace sluice {
namespace {

using Kind = ConfigValue::Kind;
constexpr std::size_t kMaxDepth = 64;

/// Builds the tree as events come; `where` turns a mark into the text that messages begin with.
class TreeBuilder : public YAML::EventHandler {
 public:
  using Where = std::function<std::string(const YAML::Mark&)>;
  TreeBuilder(Where where, std::string path) : where_(std::move(where)), path_(std::move(path)) {}

  ConfigValue take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (expects_key()) fail(mark, "a key is missing before ':'");
    add(mark, Kind::kNull);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "aliases (*name) are not supported; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (expects_key()) {
      take_key(mark, value);
      return;
    }
    add(mark, Kind::kScalar).scalar = value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::kList);
  }
  void OnSequenceEnd() override { stack_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::kMap);
  }
  void OnMapEnd() override { stack_.pop_back(); }

 private:
  struct Level {
    ConfigValue* value;
    std::optional<std::string> key;  ///< of the value to come, in a map
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& text) const {
    throw ConfigError(one_line(fmt::format("{}: {}", where_(mark), text)));
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) fail(mark, "anchors (&name) are not supported; write the value out");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(mark, fmt::format("tags are not supported, got '{}'", tag));
    }
  }
  bool expects_key() const {
    return !stack_.empty() && stack_.back().value->kind == Kind::kMap && !stack_.back().key;
  }
  void take_key(const YAML::Mark& mark, const std::string& key) {
    const ConfigValue& map = *stack_.back().value;
    const std::string place = map.path.empty() ? "" : map.path + ": ";
    if (key.empty()) fail(mark, place + "a key is empty");
    if (key == "<<") fail(mark, place + "merge keys (<<) are not supported; write the values out");
    if (const ConfigValue* first = map.find(key)) {
      fail(mark,
           fmt::format("{}the key '{}' is given twice, first at {}", place, key, first->origin));
    }
    stack_.back().key = key;
    key_mark_ = mark;
  }
  ConfigValue& add(const YAML::Mark& mark, Kind kind) {
    ConfigValue* slot = &root_;
    std::string path = path_;
    YAML::Mark place = mark;
    if (!stack_.empty()) {
      Level& level = stack_.back();
      if (level.value->kind == Kind::kMap) {
        path = join_path(level.value->path, *level.key);
        // The line of the key: where someone looks, also for maps that begin on the next line.
        place = key_mark_;
        slot = &level.value->entries.emplace_back(*level.key, ConfigValue{}).second;
        level.key.reset();
      } else {
        path = join_path(level.value->path, std::to_string(level.value->items.size()));
        slot = &level.value->items.emplace_back();
      }
    }
    slot->kind = kind;
    slot->path = std::move(path);
    slot->origin = where_(place);
    return *slot;
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (expects_key()) fail(mark, "a key must be a plain word (or a bracket is not closed)");
    if (stack_.size() >= kMaxDepth) fail(mark, fmt::format("nested deeper than {}", kMaxDepth));
    ConfigValue& value = add(mark, kind);
    stack_.push_back({&value, std::nullopt});
  }

  Where where_;
  std::string path_;
  ConfigValue root_;
  std::vector<Level> stack_;
  YAML::Mark key_mark_;
};

std::string place_in(const std::string& file, const YAML::Mark& mark) {
  return mark.is_null() ? file : fmt::format("{}:{}", file, mark.line + 1);
}

/// yaml-cpp accepts some tabs and reports others far from where they are; YAML forbids them all.
void refuse_tabs(std::string_view text, const std::string& file) {
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view content = text.substr(at, end - at);
    const std::size_t first = std::min(content.find_first_not_of(" \t\r"), content.size());
    if (content.substr(0, first).find('\t') != std::string_view::npos) {
      throw ConfigError(
          one_line(fmt::format("{}:{}: indented by a tab; YAML allows spaces alone", file, line)));
    }
    at = end + 1;
  }
}

void run_parser(std::string_view text, TreeBuilder& builder, const TreeBuilder::Where& where) {
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return;
    TreeBuilder second(where, "");
    if (parser.HandleNextDocument(second)) {
      throw ConfigError(one_line(fmt::format("{}: a second document ('---'); one is allowed",
                                             where(YAML::Mark::null_mark()))));
    }
  } catch (const YAML::Exception& error) {
    throw ConfigError(
        one_line(fmt::format("{}: not valid YAML: {}", where(error.mark), error.msg)));
  }
}

}  // namespace

ConfigValue parse_yaml(std::string_view text, const std::string& file) {
  refuse_tabs(text, file);
  const TreeBuilder::Where where = [&file](const YAML::Mark& mark) { return place_in(file, mark); };
  TreeBuilder builder(where, "");
  run_parser(text, builder, where);
  return builder.take();
}

ConfigValue parse_yaml_value(std::string_view text, const std::string& origin,
                             const std::string& path) {
  const TreeBuilder::Where where = [&origin](const YAML::Mark&) { return origin; };
  TreeBuilder builder(where, path);
  run_parser(text, builder, where);
  return builder.take();
}

}  // namespace sluice
