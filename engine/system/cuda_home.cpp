#include "engine/system/cuda_home.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> named_homes() {
  std::vector<fs::path> homes;
  for (const char* variable : {"SWEEP_CUDA_HOME", "CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') homes.emplace_back(value);
  }
  return homes;
}

std::vector<fs::path> usual_homes() {
  return {"/usr/local/cuda", SWEEP_BUILD_CUDA_HOME};
}

constexpr std::array library_folders = {"lib64", "lib", "targets/x86_64-linux/lib",
                                        "targets/sbsa-linux/lib"};
constexpr std::array include_folders = {"include", "targets/x86_64-linux/include",
                                        "targets/sbsa-linux/include"};

}  // namespace

fs::path program_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

fs::path program_folder() {
  return program_path().parent_path();
}

std::vector<fs::path> cuda_homes() {
  std::vector<fs::path> homes = named_homes();
  for (const fs::path& home : usual_homes()) homes.push_back(home);
  return homes;
}

std::vector<std::string> library_candidates(const std::vector<std::string>& names) {
  std::vector<std::string> candidates;
  const auto add_home = [&](const fs::path& home) {
    for (const char* folder : library_folders) {
      for (const std::string& name : names) candidates.push_back((home / folder / name).string());
    }
  };
  for (const fs::path& home : named_homes()) add_home(home);
  for (const std::string& name : names) candidates.push_back((program_folder() / name).string());
  for (const std::string& name : names) candidates.push_back(name);
  for (const fs::path& home : usual_homes()) add_home(home);
  return candidates;
}

fs::path find_cuda_include(const std::string& header, const fs::path& library) {
  std::vector<fs::path> folders;
  // From lib64 to the home, or from targets/*/lib.
  constexpr int levels = 3;
  fs::path folder = library.parent_path();
  for (int level = 0; level < levels && folder.has_relative_path(); ++level) {
    folder = folder.parent_path();
    folders.push_back(folder / "include");
  }
  for (const fs::path& home : cuda_homes()) {
    for (const char* include : include_folders) folders.push_back(home / include);
  }
  const auto found = std::ranges::find_if(folders, [&](const fs::path& candidate) {
    std::error_code error;
    return fs::exists(candidate / header, error);
  });
  return found == folders.end() ? fs::path() : *found;
}

}  // namespace sweep
