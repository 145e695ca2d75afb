#include "engine/text/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace sweep {
namespace {

/// Leaves yaml-cpp's parser; the message is already recorded.
struct Rejected {};

int unclosed_parentheses(std::string_view text) {
  int open = 0;
  for (const char c : text) open += c == '(' ? 1 : c == ')' ? -1 : 0;
  return open;
}

/// Receives yaml-cpp's events and builds the tree.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(SourcePtr source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(diagnostics) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.where = at(mark);
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) reject(at(mark), "this alias has no anchor before it");
    count_nodes(found->second, mark);
    add(found->second, YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = value;
    node.quoted = tag == "!";
    locate(node, mark);
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::sequence, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlNode::Kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A collection whose end has not come yet.
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    bool flow;
    std::vector<YamlNode> children;  ///< items, or keys and values in turn
  };

  Location at(const YAML::Mark& mark) const {
    if (mark.is_null()) return {source_, 0, 0, 1};
    return {source_, static_cast<std::size_t>(mark.line) + 1,
            static_cast<std::size_t>(mark.column) + 1, 1};
  }

  [[noreturn]] void reject(const Location& where, std::string message, std::string help = {}) {
    diagnostics_.error(where, std::move(message), std::move(help));
    throw Rejected{};
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      reject(at(mark), fmt::format("the tag '{}' has no meaning here", tag));
    }
  }

  /// Finds where a scalar's text really begins: after its quote, or below its `|`.
  void locate(YamlNode& node, const YAML::Mark& mark) const {
    node.where = at(mark);
    node.where.length = std::max<std::size_t>(node.text.size(), 1);
    if (mark.is_null() || node.text.empty()) return;
    const std::string& text = source_->text;
    const std::size_t start = offset_of_line(text, node.where.line) + node.where.column - 1;
    const std::string_view first_line = std::string_view(node.text).substr(0, node.text.find('\n'));
    const std::size_t found = text.find(first_line, start);
    // Far from its mark it would be another text that happens to be equal.
    constexpr std::size_t furthest = 200;
    if (found == std::string::npos || found > start + furthest) return;
    const std::string_view skipped = std::string_view(text).substr(start, found - start);
    const auto lines = static_cast<std::size_t>(std::ranges::count(skipped, '\n'));
    node.where.line += lines;
    node.where.column = lines == 0 ? node.where.column + skipped.size()
                                   : found - offset_of_line(text, node.where.line) + 1;
    node.where.length = std::max<std::size_t>(first_line.size(), 1);
    node.verbatim = first_line.size() == node.text.size();
  }

  void count_nodes(const YamlNode& node, const YAML::Mark& mark) {
    constexpr std::size_t most = 1'000'000;
    if (++nodes_ > most) reject(at(mark), "this document is too large");
    for (const YamlNode& item : node.items) count_nodes(item, mark);
    for (const auto& [key, value] : node.entries) {
      count_nodes(key, mark);
      count_nodes(value, mark);
    }
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    refuse_tag(mark, tag);
    constexpr std::size_t deepest = 100;
    if (open_.size() >= deepest) reject(at(mark), "this document is nested too deeply");
    Open collection{{}, anchor, style == YAML::EmitterStyle::Flow, {}};
    collection.node.kind = kind;
    collection.node.where = at(mark);
    open_.push_back(std::move(collection));
  }

  void close() {
    Open collection = std::move(open_.back());
    open_.pop_back();
    const bool is_map = collection.node.is_map();
    if (collection.flow) {
      if (is_map) {
        rejoin_entries(collection.children);
      } else {
        rejoin_items(collection.children);
      }
    }
    if (is_map) {
      pair_up(collection);
    } else {
      collection.node.items = std::move(collection.children);
    }
    add(std::move(collection.node), collection.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    ++nodes_;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().children.push_back(std::move(node));
    }
  }

  /// Whether `next` continues `node` after a comma that stands within parentheses.
  static bool continues(const YamlNode& node, const YamlNode& next) {
    return node.is_scalar() && !node.quoted && unclosed_parentheses(node.text) > 0 &&
           next.is_scalar() && !next.quoted;
  }

  /// Makes `node` reach to the end of `last`, with the source's own text between.
  void extend(YamlNode& node, const YamlNode& last) const {
    const std::string& text = source_->text;
    const std::size_t begin = offset_of_line(text, node.where.line) + node.where.column - 1;
    const std::size_t end =
        offset_of_line(text, last.where.line) + last.where.column - 1 + last.text.size();
    node.text = text.substr(begin, end - begin);
    node.verbatim = node.where.line == last.where.line;
    node.where.length = node.text.size();
  }

  void rejoin_items(std::vector<YamlNode>& items) const {
    std::vector<YamlNode> joined;
    for (YamlNode& item : items) {
      if (!joined.empty() && continues(joined.back(), item)) {
        extend(joined.back(), item);
      } else {
        joined.push_back(std::move(item));
      }
    }
    items = std::move(joined);
  }

  void rejoin_entries(std::vector<YamlNode>& children) const {
    std::vector<YamlNode> joined;
    for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
      if (!joined.empty() && children[i + 1].is_null() && continues(joined.back(), children[i])) {
        extend(joined.back(), children[i]);
      } else {
        joined.push_back(std::move(children[i]));
        joined.push_back(std::move(children[i + 1]));
      }
    }
    children = std::move(joined);
  }

  void pair_up(Open& collection) {
    for (std::size_t i = 0; i + 1 < collection.children.size(); i += 2) {
      YamlNode& key = collection.children[i];
      if (!key.is_scalar()) reject(key.where, "a key must be a plain word");
      const YamlNode* first = nullptr;
      for (const auto& [other, value] : collection.node.entries) {
        if (other.text == key.text) first = &other;
      }
      if (first != nullptr) {
        diagnostics_.error(key.where, fmt::format("the key '{}' is given twice", key.text),
                           fmt::format("it stands first in line {}", first->where.line));
        continue;
      }
      collection.node.entries.emplace_back(std::move(key), std::move(collection.children[i + 1]));
    }
  }

  SourcePtr source_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0;
  YamlNode root_;
};

std::string syntax_help(const SourcePtr& source, std::size_t line) {
  const std::string_view text = line_of(source->text, line);
  const std::size_t first = text.find_first_not_of(" ");
  if (first == std::string_view::npos) return {};
  if (text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos) {
    return "YAML is indented with spaces, not tabs";
  }
  if (text[first] == '*' && (first + 1 == text.size() || text[first + 1] == ' ')) {
    return "write the header's lines without a leading '*'";
  }
  return "put text that contains ':', '#', quotes, braces or a leading '*', '&' or '%' in quotes";
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

std::optional<YamlNode> read_yaml(const SourcePtr& source, Diagnostics& diagnostics) {
  return read_yaml(source, 0, source->text.size(), diagnostics);
}

std::optional<YamlNode> read_yaml(const SourcePtr& source, std::size_t begin, std::size_t end,
                                  Diagnostics& diagnostics) {
  // Blanking what stands before keeps the places of what follows.
  std::string text = source->text.substr(0, end);
  for (std::size_t i = 0; i < begin; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
  const std::size_t errors_before = diagnostics.error_count();
  TreeBuilder builder(source, diagnostics);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.take_root();
    TreeBuilder rest(source, diagnostics);
    if (parser.HandleNextDocument(rest)) {
      diagnostics.error(rest.take_root().where, "a second YAML document starts here",
                        "keep one document in a file");
    }
    if (diagnostics.error_count() > errors_before) return std::nullopt;
    return root;
  } catch (const Rejected&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    const std::size_t line = static_cast<std::size_t>(std::max(error.mark.line, 0)) + 1;
    diagnostics.error(
        {source, line, static_cast<std::size_t>(std::max(error.mark.column, 0)) + 1, 1},
        "this is not valid YAML: " + error.msg, syntax_help(source, line));
    return std::nullopt;
  }
}

}  // namespace sweep
