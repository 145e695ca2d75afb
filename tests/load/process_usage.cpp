#include "tests/load/process_usage.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "tests/temporary_folder.h"

namespace sweep {
namespace {

void add(pid_t process, ProcessUsage& usage) {
  const std::string folder = "/proc/" + std::to_string(process);
  const std::string stat = read_text_file(folder + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return;
  std::istringstream fields(stat.substr(name_end + 1));
  // State, parent and so on, up to the clock ticks: of its own, and of children that have ended.
  constexpr int before_ticks = 11;
  std::string field;
  for (int i = 0; i < before_ticks; ++i) fields >> field;
  double ticks = 0;
  for (int i = 0; i < 4; ++i) {
    double some = 0;
    fields >> some;
    ticks += some;
  }
  usage.cpu_seconds += ticks / static_cast<double>(sysconf(_SC_CLK_TCK));

  std::istringstream pages(read_text_file(folder + "/statm"));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  pages >> all >> resident;
  usage.resident_bytes += resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));

  // A child is one of the thread that started it.
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator(folder + "/task", ignored)) {
    std::istringstream children(read_text_file(thread.path() / "children"));
    for (pid_t child = 0; children >> child;) add(child, usage);
  }
}

}  // namespace

ProcessUsage usage_of(pid_t process) {
  ProcessUsage usage;
  add(process, usage);
  return usage;
}

}  // namespace sweep
