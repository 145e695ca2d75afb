#include "engine/jit/source_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/jit/file_sandbox.h"
#include "engine/spec/included_files.h"

namespace sweep {
namespace {

/// These headers of the toolkit make the names of what they include out of macros that a pattern
/// can define.
bool has_unnamed_includes(std::string_view name) {
  return name.starts_with("thrust/") || name.starts_with("cub/");
}

std::string why_open(const IncludeSite& site, const std::set<std::string_view>& names) {
  const bool is_named =
      site.kind == IncludeSite::Kind::quoted || site.kind == IncludeSite::Kind::angled;
  if (!is_named) return "it could make the compiler open a file whose name it does not say";
  if (names.contains(site.name)) return {};
  if (leads_out(site.name)) return fmt::format("it includes {} from outside", site.name);
  if (has_unnamed_includes(site.name) && !has_file_sandbox()) {
    return fmt::format(
        "{} includes what macros name, for which this kernel has no sandbox "
        "(Landlock)",
        site.name);
  }
  return {};
}

}  // namespace

std::vector<SourceHeader> source_headers(const Pattern& pattern) {
  std::vector<SourceHeader> headers;
  for (const IncludedFile& file : pattern.included.files) {
    SourceHeader header = {file.name, with_header_names(file.text, 0, file.names)};
    headers.push_back(std::move(header));
  }
  return headers;
}

std::string with_header_names(std::string text, std::size_t offset,
                              const std::vector<IncludeName>& names) {
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (name->offset < offset || name->offset + name->length > offset + text.size()) continue;
    const std::size_t place = name->offset - offset;
    if (text[place] != '"' && text[place] != '<') continue;
    text.replace(place, name->length, '"' + name->target + '"');
  }
  return text;
}

std::string why_open(std::string_view source, const std::vector<SourceHeader>& headers) {
  std::set<std::string_view> names;
  for (const SourceHeader& header : headers) names.insert(header.name);
  std::vector<std::string_view> texts = {source};
  for (const SourceHeader& header : headers) texts.push_back(header.text);
  for (const std::string_view text : texts) {
    for (const IncludeSite& site : find_include_sites(text)) {
      if (std::string reason = why_open(site, names); !reason.empty()) return reason;
    }
  }
  return {};
}

}  // namespace sweep
