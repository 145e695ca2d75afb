#include "engine/text/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "engine/text/read_source.h"
#include "engine/text/text_limits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// Leaves yaml-cpp's parser; the message is already recorded.
struct Rejected {};

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A source with the offsets of its lines, so that places turn into offsets and back quickly.
class SourceLines {
 public:
  /// What stands from `end` on does not belong to the text, and what stands before `begin` is
  /// blanked.
  SourceLines(SourcePtr source, std::size_t begin, std::size_t end)
      : source_(std::move(source)), end_(end) {
    // yaml-cpp does not count the byte order mark.
    if (begin == 0 && text().starts_with(byte_order_mark)) skipped_ = byte_order_mark.size();
    for (std::size_t at = 0; at < end_; ++at) {
      if (text()[at] == '\n') starts_.push_back(at + 1);
    }
  }

  std::string_view text() const { return std::string_view(source_->text).substr(0, end_); }

  Location whole() const { return {source_, 0, 0, 1}; }

  std::size_t offset(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(mark.pos) + skipped_, text().size());
  }

  Location location(std::size_t offset) const {
    const auto line =
        static_cast<std::size_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin());
    return {source_, line, offset - starts_[line - 1] + 1, 1};
  }

  Location location(const YAML::Mark& mark) const {
    return mark.is_null() ? whole() : location(offset(mark));
  }

 private:
  SourcePtr source_;
  std::size_t end_;
  std::size_t skipped_ = 0;
  std::vector<std::size_t> starts_ = {0};
};

/// Receives yaml-cpp's events and builds the tree.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceLines& lines, Diagnostics& diagnostics)
      : lines_(lines), diagnostics_(diagnostics) {
    root_.where = lines.whole();
  }

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    if (lines_.text().substr(lines_.offset(mark)).starts_with("---")) {
      reject(mark, "a second YAML document starts here", "keep one document in a file");
    }
    reject(mark, "this is not valid YAML: the document ends before this",
           "indent what belongs together by the same number of spaces");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(node_at(mark, YamlNode::Kind::null), anchor, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      reject(mark, "this alias stands inside what it repeats");
    }
    count_nodes(found->second, mark, open_.size());
    add(found->second, YAML::NullAnchor, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    if (value.size() > text_limits::scalar_bytes) {
      reject(mark, fmt::format("this text has {} bytes; a value or a key can have {}",
                               format_thousands(value.size()),
                               format_thousands(text_limits::scalar_bytes)));
    }
    YamlNode node = node_at(mark, YamlNode::Kind::scalar);
    node.text = value;
    node.quoted = tag == "!";
    if (!node.quoted) std::ranges::replace(node.text, hidden_comma, ',');
    locate(node, mark);
    add(std::move(node), anchor, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A collection whose end has not come yet.
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    std::vector<YamlNode> children;  ///< items, or keys and values in turn
  };

  [[noreturn]] void reject(const Location& where, std::string message, std::string help = {}) {
    diagnostics_.error(where, std::move(message), std::move(help));
    throw Rejected{};
  }

  [[noreturn]] void reject(const YAML::Mark& mark, std::string message, std::string help = {}) {
    reject(lines_.location(mark), std::move(message), std::move(help));
  }

  [[noreturn]] void reject_depth(const YAML::Mark& mark) {
    reject(mark, "this document is nested too deeply",
           fmt::format("lists and maps may stand in each other {} deep", text_limits::depth));
  }

  YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.where = lines_.location(mark);
    return node;
  }

  /// Bounds what a document takes when it is read.
  void count_node(const YAML::Mark& mark) {
    if (++nodes_ > text_limits::nodes) {
      reject(mark, fmt::format("this document has more than {} values and keys",
                               format_thousands(text_limits::nodes)));
    }
    if (open_.empty() || !open_.back().node.is_map()) return;
    if (open_.back().children.size() / 2 >= text_limits::map_keys) {
      reject(mark, fmt::format("this map has more than {} keys",
                               format_thousands(text_limits::map_keys)));
    }
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      reject(mark, fmt::format("the tag '{}' has no meaning here", tag));
    }
  }

  /// The offset behind a scalar's anchor and tag and the space that follows them.
  std::size_t skip_properties(std::size_t at) const {
    const std::string_view text = lines_.text();
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
      at = std::min(text.find_first_of(" \t\r\n", at), text.size());
      while (at < text.size() && std::string_view(" \t\r\n#").find(text[at]) != text.npos) {
        at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
      }
    }
    return at;
  }

  /// The offset of a block scalar's first line, without its indentation.
  std::size_t block_begin(std::size_t indicator, std::string_view first_line) const {
    const std::string_view text = lines_.text();
    const std::size_t line = std::min(text.find('\n', indicator), text.size() - 1) + 1;
    if (first_line.empty()) return line;
    const std::size_t blanks = std::min(text.find_first_not_of(' ', line), text.size()) - line;
    return line + blanks - std::min(first_line.find_first_not_of(' '), blanks);
  }

  /// Where the quoted text from `begin` ends; nothing when it does not, which yaml-cpp lets pass.
  std::optional<std::size_t> closing_quote(std::size_t begin, char quote) const {
    const std::string_view text = lines_.text();
    for (std::size_t at = begin; at < text.size(); ++at) {
      if (quote == '"' && text[at] == '\\') {
        ++at;
      } else if (text[at] == quote) {
        if (quote == '"' || !text.substr(at + 1).starts_with(quote)) return at;
        ++at;  // a doubled single quote
      }
    }
    return std::nullopt;
  }

  /// Finds where a scalar's text begins: after its quote, or below its `|`.
  void locate(YamlNode& node, const YAML::Mark& mark) {
    const std::string_view text = lines_.text();
    const std::string_view first_line = std::string_view(node.text).substr(0, node.text.find('\n'));
    std::size_t begin = skip_properties(lines_.offset(mark));
    const char opening = node.quoted && begin < text.size() ? text[begin] : '\0';
    const bool in_quotes = opening == '"' || opening == '\'';
    if (in_quotes) {
      ++begin;
      const auto end = closing_quote(begin, opening);
      if (!end) reject(lines_.location(begin - 1), "this quote is never closed");
      const std::string_view letters = text.substr(begin, *end - begin);
      if (letters.find('\n') != std::string_view::npos &&
          letters.find(opening == '"' ? "\\" : "''") == std::string_view::npos) {
        node.raw = letters;
      }
    } else if (opening == '|' || opening == '>') {
      begin = block_begin(begin, first_line);
    }
    node.where = lines_.location(begin);
    node.where.length = std::max<std::size_t>(first_line.size(), 1);
    const std::string_view rest = text.substr(begin);
    // A final line break, as block scalars have, does not move what stands before it.
    node.where.exact = rest.starts_with(first_line) && first_line.size() + 1 >= node.text.size() &&
                       (!in_quotes || rest.substr(first_line.size()).starts_with(opening));
  }

  /// Bounds what anchors and aliases add: a copy of `node` below `depth` collections.
  void count_nodes(const YamlNode& node, const YAML::Mark& mark, std::size_t depth) {
    alias_bytes_ += node.text.size() + node.raw.size();
    if (++alias_nodes_ > text_limits::alias_nodes || alias_bytes_ > text_limits::alias_bytes) {
      reject(mark, "the aliases of this document repeat too much",
             fmt::format("anchors and aliases may copy {} values and {} of text",
                         format_thousands(text_limits::alias_nodes),
                         format_bytes(text_limits::alias_bytes)));
    }
    if (depth > text_limits::depth) reject_depth(mark);
    for (const YamlNode& item : node.items) count_nodes(item, mark, depth + 1);
    for (const auto& [key, value] : node.entries) {
      count_nodes(key, mark, depth + 1);
      count_nodes(value, mark, depth + 1);
    }
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    if (open_.size() >= text_limits::depth) reject_depth(mark);
    open_.push_back({node_at(mark, kind), anchor, mark, {}});
  }

  void close() {
    Open collection = std::move(open_.back());
    open_.pop_back();
    if (collection.node.is_map()) {
      pair_up(collection);
    } else {
      collection.node.items = std::move(collection.children);
    }
    add(std::move(collection.node), collection.anchor, collection.mark);
  }

  void add(YamlNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    count_node(mark);
    if (anchor != YAML::NullAnchor) {
      count_nodes(node, mark, open_.size());
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().children.push_back(std::move(node));
    }
  }

  void pair_up(Open& collection) {
    std::map<std::string, std::size_t> lines;  // of each key
    for (std::size_t i = 0; i + 1 < collection.children.size(); i += 2) {
      YamlNode& key = collection.children[i];
      if (!key.is_scalar()) reject(key.where, "a key must be a plain word");
      const auto [first, is_new] = lines.try_emplace(key.text, key.where.line);
      if (!is_new) {
        diagnostics_.error(key.where, fmt::format("the key '{}' is given twice", key.text),
                           fmt::format("it stands first in line {}", first->second));
        continue;
      }
      collection.node.entries.push_back({std::move(key), std::move(collection.children[i + 1])});
    }
  }

  const SourceLines& lines_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0;
  std::size_t alias_nodes_ = 0;
  std::size_t alias_bytes_ = 0;
  int documents_ = 0;
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
  end = std::min(end, source->text.size());
  begin = std::min(begin, end);
  const SourceLines lines(source, begin, end);
  // yaml-cpp takes some of what is no text for the end of the file or for another encoding.
  if (!check_text(source, begin, end, TextKind::yaml, diagnostics)) return std::nullopt;
  // Blanking what stands before keeps the places of what follows.
  std::string text = source->text.substr(0, end);
  for (std::size_t i = 0; i < begin; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
  const std::size_t errors_before = diagnostics.error_count();
  TreeBuilder builder(lines, diagnostics);
  try {
    std::istringstream stream(hide_commas(text));
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.take_root();
    parser.HandleNextDocument(builder);  // the builder refuses a second one
    if (diagnostics.error_count() > errors_before) return std::nullopt;
    return root;
  } catch (const Rejected&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    const Location where = lines.location(error.mark);
    diagnostics.error(where, "this is not valid YAML: " + error.msg,
                      syntax_help(source, where.line));
    return std::nullopt;
  }
}

}  // namespace sweep
