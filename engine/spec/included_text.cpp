#include "engine/spec/included_text.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

void collect(const fs::path& path, const std::string& text, std::vector<fs::path>& seen,
             std::string& result) {
  static const std::regex include(R"re(#[ \t]*include[ \t]*"([^"\n]+)")re");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), include);
       found != std::sregex_iterator(); ++found) {
    const fs::path file = (path.parent_path() / (*found)[1].str()).lexically_normal();
    if (std::ranges::find(seen, file) != seen.end()) continue;
    seen.push_back(file);
    try {
      const SourcePtr source = read_source(file);
      result += "\n// " + (*found)[1].str() + "\n" + source->text;
      collect(file, source->text, seen, result);
    } catch (const FileError&) {
      continue;
    }
  }
}

}  // namespace

std::string included_text(const fs::path& path, const std::string& text) {
  std::string result;
  std::vector<fs::path> seen;
  collect(path, text, seen, result);
  return result;
}

}  // namespace sweep
