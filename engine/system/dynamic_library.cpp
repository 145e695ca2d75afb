#include "engine/system/dynamic_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

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

/// The entries of a folder whose names begin so, the newest version first.
std::vector<fs::path> versions_in(const fs::path& folder, const std::string& begin) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_version = name.starts_with(begin) && name.size() > begin.size() &&
                            std::isdigit(static_cast<unsigned char>(name[begin.size()])) != 0;
    if (is_version) found.push_back(entry.path());
  }
  std::ranges::sort(found, [](const fs::path& one, const fs::path& other) {
    return strverscmp(one.c_str(), other.c_str()) > 0;
  });
  return found;
}

/// Where pip and conda install: the environment that is active, that of the first python3 there is,
/// the user's own and the system's.
std::vector<fs::path> python_prefixes() {
  std::vector<fs::path> prefixes;
  const auto value_of = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::string(value != nullptr ? value : "");
  };
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string value = value_of(variable); !value.empty()) prefixes.emplace_back(value);
  }
  std::error_code error;
  std::istringstream path(value_of("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.starts_with('/') || !fs::exists(fs::path(folder) / "python3", error)) continue;
    prefixes.push_back(fs::path(folder).parent_path());
    break;
  }
  if (const std::string home = value_of("HOME"); !home.empty()) {
    prefixes.push_back(fs::path(home) / ".local");
  }
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  return prefixes;
}

/// What NVIDIA's wheels install: a toolkit for CUDA 13 and newer, before that a folder for each
/// part.
std::vector<fs::path> wheel_homes() {
  std::vector<fs::path> homes;
  for (const fs::path& prefix : python_prefixes()) {
    for (const fs::path& python : versions_in(prefix / "lib", "python")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const fs::path wheels = python / packages / "nvidia";
        std::error_code error;
        if (!fs::is_directory(wheels, error)) continue;
        for (fs::path& home : versions_in(wheels, "cu")) homes.push_back(std::move(home));
        for (const char* part : {"cuda_nvrtc", "cuda_runtime", "cuda_cupti"}) {
          homes.push_back(wheels / part);
        }
      }
    }
  }
  return homes;
}

std::vector<fs::path> usual_homes() {
  std::vector<fs::path> homes = {"/usr/local/cuda", SWEEP_BUILD_CUDA_HOME};
  for (fs::path& home : versions_in("/usr/local", "cuda-")) homes.push_back(std::move(home));
  homes.insert(homes.end(), {"/opt/cuda", "/usr/lib/cuda"});
  if (const char* conda = std::getenv("CONDA_PREFIX"); conda != nullptr && *conda != '\0') {
    homes.emplace_back(conda);
  }
  for (fs::path& home : wheel_homes()) homes.push_back(std::move(home));
  return homes;
}

constexpr std::array library_folders = {"lib64", "lib", "targets/x86_64-linux/lib",
                                        "targets/sbsa-linux/lib"};
constexpr std::array include_folders = {"include", "targets/x86_64-linux/include",
                                        "targets/sbsa-linux/include"};

/// Whether a file is shorter than it says itself: the loader would crash over it. The table of
/// sections stands at a library's end.
bool is_cut_off(const std::string& name) {
  if (name.find('/') == name.npos) return false;
  std::ifstream file(name, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool is_elf = file && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!is_elf) return false;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(name, error);
  const std::uintmax_t sections = std::uintmax_t{header.e_shentsize} * header.e_shnum;
  return !error && (header.e_shoff > size || sections > size - header.e_shoff);
}

/// Why the loader did not open a library just now; empty when there is none of that name.
std::string last_problem(const std::string& name) {
  const char* text = dlerror();
  std::string problem = text != nullptr ? text : "";
  // A library that it needs may be missing too: that has another name.
  if (problem != name + ": cannot open shared object file: No such file or directory") {
    return problem;
  }
  // The loader passes over a file for another machine as if it were not there.
  std::error_code error;
  const bool is_there = name.find('/') != name.npos && fs::exists(name, error);
  return is_there ? name + ": not a library for this machine" : std::string();
}

}  // namespace

fs::path program_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::vector<fs::path> cuda_homes() {
  std::vector<fs::path> homes = named_homes();
  for (const fs::path& home : usual_homes()) homes.push_back(home);
  return homes;
}

std::vector<std::string> library_candidates(const std::vector<std::string>& names) {
  std::vector<fs::path> folders;
  const auto add_home = [&](const fs::path& home) {
    for (const char* folder : library_folders) folders.push_back(home / folder);
  };
  std::ranges::for_each(named_homes(), add_home);
  folders.push_back(program_path().parent_path());
  folders.emplace_back();  // the system's search
  std::ranges::for_each(usual_homes(), add_home);
  std::vector<std::string> candidates;
  for (const fs::path& folder : folders) {
    for (const std::string& name : names) candidates.push_back((folder / name).string());
  }
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
  // Of CUDA 12's wheels another one has them.
  folders.push_back(library.parent_path().parent_path().parent_path() / "cuda_runtime/include");
  for (const fs::path& home : cuda_homes()) {
    for (const char* include : include_folders) folders.push_back(home / include);
  }
  for (const fs::path& candidate : folders) {
    std::error_code error;
    if (fs::exists(candidate / header, error)) return candidate;
  }
  return {};
}

fs::path cccl_include(const fs::path& include) {
  // CUDA 12's wheels have them beside it.
  const fs::path wheel = include.parent_path().parent_path() / "cuda_cccl" / "include";
  const fs::path own = include / "cccl";
  std::error_code error;
  return !fs::exists(own, error) && fs::exists(wheel, error) ? wheel : own;
}

std::optional<DynamicLibrary> DynamicLibrary::open(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  return DynamicLibrary(name, handle);
}

std::optional<DynamicLibrary> DynamicLibrary::open_first(const std::vector<std::string>& names,
                                                         std::vector<std::string>& problems) {
  for (const std::string& name : names) {
    const bool is_whole = !is_cut_off(name);
    if (auto library = is_whole ? open(name) : std::nullopt) return library;
    std::string problem = is_whole ? last_problem(name) : name + ": the end of the file is missing";
    const bool is_new = std::ranges::find(problems, problem) == problems.end();
    if (!problem.empty() && is_new) problems.push_back(std::move(problem));
  }
  return std::nullopt;
}

std::filesystem::path DynamicLibrary::file_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? info.dli_fname : file;
}

void* DynamicLibrary::address_of(const char* symbol) const {
  if (void* address = dlsym(handle_, symbol)) return address;
  throw LibraryError(fmt::format(
      "{} has no function {}: it is too old or not the library that was expected", name_, symbol));
}

}  // namespace sweep
