// fuzz_corpus NAME FOLDER...: gives every file of the folders to a target, once. An input that is a
// find ends the program as it would end the fuzzer; its file is named before it is read.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tests/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

constexpr std::array targets = {
    Target{"pattern", sweep::fuzz::read_pattern},
    Target{"sweep", sweep::fuzz::read_sweep},
    Target{"expression", sweep::fuzz::evaluate_expressions},
    Target{"ptx", sweep::fuzz::run_ptx},
    Target{"recording", sweep::fuzz::read_recorded_results},
    Target{"database", sweep::fuzz::read_database},
    Target{"program", sweep::fuzz::read_compiled_program},
};

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(folder, missing)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view name = count > 1 ? arguments[1] : "";
  const auto* target = std::ranges::find(targets, name, &Target::name);
  if (target == targets.end()) {
    std::fputs("usage: fuzz_corpus NAME FOLDER...\n", stderr);
    return 2;
  }
  std::size_t files = 0;
  for (int i = 2; i < count; ++i) {
    for (const fs::path& path : files_of(arguments[i])) {
      std::printf("%s\n", path.c_str());
      std::fflush(stdout);
      target->run(sweep::read_text_file(path));
      ++files;
    }
  }
  std::printf("%zu files\n", files);
  // A corpus that is not there would test nothing.
  return files > 0 ? 0 : 1;
}
