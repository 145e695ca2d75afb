#include "engine/spec/override_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

constexpr const char* example = "for example --set STRIDE=1,2,4";

/// The part of `source` from byte `begin` to `end` without the blanks around it.
YamlNode trimmed_scalar(const SourcePtr& source, std::size_t begin, std::size_t end) {
  const std::string& text = source->text;
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text.substr(begin, end - begin);
  node.where = {source, 1, begin + 1, std::max<std::size_t>(end - begin, 1)};
  return node;
}

/// The comma after `begin` that stands outside parentheses, or the end.
std::size_t end_of_item(std::string_view text, std::size_t begin) {
  int open = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (text[at] == ',' && open <= 0) return at;
  }
  return text.size();
}

YamlNode read_list(const SourcePtr& source, std::size_t begin) {
  YamlNode list;
  list.kind = YamlNode::Kind::sequence;
  list.where = {source, 1, begin + 1, 1};
  while (begin <= source->text.size()) {
    const std::size_t end = end_of_item(source->text, begin);
    list.items.push_back(trimmed_scalar(source, begin, end));
    begin = end + 1;
  }
  return list;
}

}  // namespace

std::optional<OverrideParts> read_override(const Override& argument, Diagnostics& diagnostics) {
  const SourcePtr& source = argument.source;
  const std::string& text = source->text;
  const std::size_t equals = text.find('=');
  const YamlNode name = trimmed_scalar(source, 0, std::min(equals, text.size()));
  if (equals == std::string::npos || name.text.empty()) {
    diagnostics.error({source, 1, 1, std::max<std::size_t>(text.size(), 1)},
                      "this is not NAME=VALUES", example);
    return std::nullopt;
  }
  const std::size_t first = text.find_first_not_of(' ', equals + 1);
  if (first == std::string::npos) {
    diagnostics.error(name.where, fmt::format("'{}' gets no value", name.text), example);
    return std::nullopt;
  }
  OverrideParts parts{name.text, name.where, {}};
  if (text[first] != '{' && text[first] != '[') {
    parts.values = read_list(source, first);
    return parts;
  }
  auto values = read_yaml(source, first, text.size(), diagnostics);
  if (!values) return std::nullopt;
  parts.values = std::move(*values);
  return parts;
}

}  // namespace sweep
