// SPDX-License-Identifier: Apache-2.0
// What a reader says of keys that nothing reads, of keys that are missing, and of rules across
// keys: always the line, and the nearest name that would have been right.
#include <fmt/format.h>

#include <algorithm>

#include "config/config_node.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxListedNames = 16;

std::vector<std::string_view> views_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::string_view last_key(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// The path among `paths` whose last key is `key`; empty when there is none.
std::string_view path_ending_in(const std::vector<std::string>& paths, std::string_view key) {
  for (const std::string& path : paths) {
    if (last_key(path) == key) return path;
  }
  return {};
}

/// The path whose last key is nearest to `key`; empty when none is near.
std::string_view path_ending_near(const std::vector<std::string>& paths, std::string_view key) {
  std::vector<std::string_view> last;
  for (const std::string& path : paths) last.push_back(last_key(path));
  const std::string_view best = nearest_name(key, last);
  return best.empty() ? best : path_ending_in(paths, best);
}

}  // namespace

void ConfigNode::collect_known(const std::string& prefix, std::vector<std::string>& out) const {
  for (const KnownKey& entry : known_) {
    const std::string path = join_path(prefix, entry.name);
    out.push_back(path);
    for (std::size_t i = 0; i < entry.children.size(); ++i) {
      entry.children[i]->collect_known(entry.is_list ? join_path(path, std::to_string(i)) : path,
                                       out);
    }
  }
}

void ConfigNode::fail_unknown(const std::string& key, const ConfigValue& value,
                              const ConfigNode& root) const {
  if (known(key) != nullptr) {
    throw ConfigError(one_line(
        fmt::format("{}: {}: has no effect beside the other keys here", value.origin, value.path)));
  }
  std::vector<std::string> own, below, everywhere;
  for (const KnownKey& entry : known_) own.push_back(entry.name);
  collect_known("", below);
  root.collect_known("", everywhere);
  // The same word at another place first, then a similar word here, then a similar word elsewhere.
  std::string_view best = path_ending_in(below, key);
  if (best.empty()) best = nearest_name(key, views_of(own));
  if (best.empty()) best = path_ending_near(below, key);
  if (best.empty()) best = path_ending_in(everywhere, key);
  std::string hint;
  if (!best.empty()) {
    hint = fmt::format(" (did you mean '{}'?)", best);
  } else if (!own.empty() && own.size() <= kMaxListedNames) {
    std::sort(own.begin(), own.end());
    hint = fmt::format("; known here: {}", fmt::join(own, ", "));
  }
  throw ConfigError(one_line(fmt::format("{}: {}: unknown key{}", value.origin, value.path, hint)));
}

void ConfigNode::finish() const { finish_below(*this); }

void ConfigNode::finish_below(const ConfigNode& root) const {
  for (const auto& [key, value] : value_.entries) {
    const KnownKey* entry = known(key);
    if (entry == nullptr || !entry->read) fail_unknown(key, value, root);
    for (const auto& child : entry->children) child->finish_below(root);
  }
}

void ConfigNode::fail_missing(std::string_view key) const {
  // A key that nothing asked for yet and looks like the missing one is most likely a slip of the
  // pen.
  std::vector<std::string_view> unread;
  for (const auto& entry : value_.entries) {
    if (known(entry.first) == nullptr) unread.push_back(entry.first);
  }
  const std::string_view slip = nearest_name(key, unread);
  if (!slip.empty()) {
    const ConfigValue& value = *value_.find(slip);
    throw ConfigError(one_line(
        fmt::format("{}: {}: unknown key (did you mean '{}'?)", value.origin, value.path, key)));
  }
  throw ConfigError(
      one_line(fmt::format("{}: {}: missing", value_.origin, join_path(value_.path, key))));
}

void ConfigNode::fail_validation(std::string_view text) const {
  // Blocks begin with the key that is wrong ("kmin: 123 is above kmax"); find where it was written.
  const std::size_t colon = text.find(':');
  const std::string_view key = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  const bool names_key =
      !key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == key.npos;
  const std::string prefix = value_.path.empty() ? "" : value_.path + (names_key ? "." : ": ");
  const ConfigValue* at = &value_;
  for (std::string_view rest = names_key ? key : std::string_view(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const ConfigValue* next = at->find(rest.substr(0, end));
    if (next == nullptr) break;
    at = next;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  throw ConfigError(one_line(fmt::format("{}: {}{}", at->origin, prefix, text)));
}

}  // namespace sluice
