#include "engine/system/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number behind `name` in a file of names and numbers; without a name the one that the file
/// begins with. Nothing without such a file, and for "max".
std::optional<std::uint64_t> read_number(const fs::path& path, std::string_view name = "") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t number = 0;
    if ((name.empty() || (words >> word && word == name)) && words >> number) return number;
  }
  return std::nullopt;
}

/// The names that the files of a version of the memory controller have.
struct ControllerFiles {
  const char* mount;
  const char* limit;
  const char* usage;
  const char* reclaimable;  ///< in memory.stat
};

constexpr ControllerFiles version_2 = {"sys/fs/cgroup", "memory.max", "memory.current",
                                       "inactive_file"};
constexpr ControllerFiles version_1 = {"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                       "memory.usage_in_bytes", "total_inactive_file"};

void apply_group(const fs::path& folder, const ControllerFiles& files, MachineMemory& memory) {
  const auto limit = read_number(folder / files.limit);
  const auto usage = read_number(folder / files.usage);
  if (!limit || !usage || *limit >= memory.total) return;
  const std::uint64_t reclaimable =
      read_number(folder / "memory.stat", files.reclaimable).value_or(0);
  const std::uint64_t used = *usage - std::min(*usage, reclaimable);
  memory.total = *limit;
  memory.available = std::min(memory.available, *limit - std::min(*limit, used));
}

/// The group at `path` below the controller's mount, and those that it is part of. In a container
/// the mount may be the group itself, whatever its path says.
void apply_groups(const fs::path& root, std::string_view path, const ControllerFiles& files,
                  MachineMemory& memory) {
  const fs::path mount = root / files.mount;
  apply_group(mount, files, memory);
  fs::path folder = mount;
  for (const fs::path& part : fs::path(path).relative_path()) {
    if (part == "..") return;
    folder /= part;
    apply_group(folder, files, memory);
  }
}

}  // namespace

MachineMemory machine_memory(const fs::path& root) {
  constexpr std::uint64_t kibi = 1024;
  const fs::path meminfo = root / "proc/meminfo";
  const auto total = read_number(meminfo, "MemTotal:");
  const auto available = read_number(meminfo, "MemAvailable:");
  MachineMemory memory = {total ? *total * kibi : unlimited,
                          available ? *available * kibi : unlimited};
  std::ifstream groups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    // "0::/path" in version 2, "4:memory,cpu:/path" in version 1
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string_view path = std::string_view(line).substr(second + 1);
    if (controllers == ",,") apply_groups(root, path, version_2, memory);
    if (controllers.find(",memory,") != std::string::npos) {
      apply_groups(root, path, version_1, memory);
    }
  }
  return memory;
}

}  // namespace sweep
