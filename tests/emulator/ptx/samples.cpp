#include "tests/emulator/ptx/samples.h"

#include <algorithm>
#include <filesystem>

#include "tests/temporary_folder.h"

namespace sweep::testing {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> result;
    const std::filesystem::path folder = SWEEP_SOURCE_DIR "/tests/emulator/ptx/samples";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".ptx") continue;
      result.push_back(Sample{file.path().stem().string(), read_text_file(file.path())});
    }
    std::sort(result.begin(), result.end(),
              [](const Sample& a, const Sample& b) { return a.name < b.name; });
    return result;
  }();
  return all;
}

std::vector<std::string> function_names(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string directive : {".func", ".entry"}) {
    std::size_t at = 0;
    while ((at = text.find(directive, at)) != std::string::npos) {
      at += directive.size();
      std::size_t start = text.find_first_not_of(" \t\n", at);
      if (start != std::string::npos && text[start] == '(') {
        start =
            text.find_first_not_of(" \t\n", std::min(text.find(')', start), text.size() - 1) + 1);
      }
      if (start == std::string::npos) break;
      std::size_t end = start;
      while (end < text.size() && is_name_character(text[end])) ++end;
      if (end > start) names.push_back(text.substr(start, end - start));
    }
  }
  return names;
}

void read_everything(const std::string& text) {
  const ptx::Module module(text);
  for (const std::string& name : function_names(text)) module.find_function(name);
}

}  // namespace sweep::testing
