#include "engine/spec/included_text.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

/// The names between quotes of the #include lines.
std::vector<std::string> quoted_names(std::string_view text) {
  constexpr std::string_view word = "include";
  std::vector<std::string> names;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at)) {
    at = skip_blanks(text, at + 1);
    if (!text.substr(at).starts_with(word)) continue;
    at = skip_blanks(text, at + word.size());
    if (!text.substr(at).starts_with('"')) continue;
    const std::size_t begin = at + 1;
    const std::size_t end = text.find_first_of("\"\n", begin);
    if (end == std::string_view::npos || text[end] != '"' || end == begin) continue;
    names.emplace_back(text.substr(begin, end - begin));
    at = end + 1;
  }
  return names;
}

void collect(const fs::path& path, const std::string& text, std::set<std::string>& seen,
             std::string& result) {
  for (const std::string& name : quoted_names(text)) {
    const fs::path file = (path.parent_path() / name).lexically_normal();
    if (!seen.insert(file.string()).second) continue;
    try {
      const SourcePtr source = read_source(file);
      result += "\n// " + name + "\n" + source->text;
      collect(file, source->text, seen, result);
    } catch (const FileError&) {
      continue;
    }
  }
}

}  // namespace

std::string included_text(const fs::path& path, const std::string& text) {
  std::string result;
  std::set<std::string> seen;
  collect(path, text, seen, result);
  return result;
}

}  // namespace sweep
