#include "engine/system/machine_memory.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "tests/temporary_folder.h"

namespace {

using sweep::machine_memory;
using sweep::MachineMemory;

constexpr std::uint64_t mebi = 1U << 20U;

/// A machine of 1000 MiB, 800 of them free, in which the files stand too.
MachineMemory memory_with(const std::map<std::string, std::string>& files) {
  const sweep::TemporaryFolder folder;
  std::map<std::string, std::string> all = files;
  all.emplace("proc/meminfo",
              "MemTotal:        1024000 kB\nMemFree: 5 kB\nMemAvailable:     819200 kB\n");
  for (const auto& [name, text] : all) folder.write(name, text);
  return machine_memory(folder.path());
}

void check(const MachineMemory& memory, std::uint64_t total_mib, std::uint64_t available_mib) {
  BOOST_TEST(memory.total == total_mib * mebi);
  BOOST_TEST(memory.available == available_mib * mebi);
}

const std::string version_2 = "0::/job/step\n";
const std::string version_1 = "5:cpu:/elsewhere\n4:cpuset,memory:/job\n0::/\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(machine_memory_test)

BOOST_AUTO_TEST_CASE(a_machine_without_groups_has_what_it_says) {
  check(memory_with({}), 1000, 800);
  check(memory_with({{"proc/self/cgroup", version_2}}), 1000, 800);
  check(memory_with({{"proc/self/cgroup", version_2},
                     {"sys/fs/cgroup/job/step/memory.max", "max\n"},
                     {"sys/fs/cgroup/job/step/memory.current", "1048576\n"}}),
        1000, 800);
}

BOOST_AUTO_TEST_CASE(a_group_limits) {
  const std::string folder = "sys/fs/cgroup/job/";
  check(memory_with({{"proc/self/cgroup", version_2},
                     {folder + "memory.max", "104857600\n"},
                     {folder + "memory.current", "41943040\n"}}),
        100, 60);
  // What a group has in caches of files is given up when memory runs short.
  check(memory_with({{"proc/self/cgroup", version_2},
                     {folder + "memory.max", "104857600\n"},
                     {folder + "memory.current", "41943040\n"},
                     {folder + "memory.stat", "anon 1\ninactive_file 10485760\nslab 3\n"}}),
        100, 70);
  const std::string first = "sys/fs/cgroup/memory/job/";
  check(memory_with({{"proc/self/cgroup", version_1},
                     {first + "memory.limit_in_bytes", "104857600\n"},
                     {first + "memory.usage_in_bytes", "41943040\n"},
                     {first + "memory.stat", "total_inactive_file 10485760\n"}}),
        100, 70);
}

BOOST_AUTO_TEST_CASE(of_groups_in_each_other_the_one_that_leaves_least_counts) {
  check(memory_with({{"proc/self/cgroup", version_2},
                     {"sys/fs/cgroup/job/memory.max", "104857600\n"},
                     {"sys/fs/cgroup/job/memory.current", "94371840\n"},
                     {"sys/fs/cgroup/job/step/memory.max", "52428800\n"},
                     {"sys/fs/cgroup/job/step/memory.current", "0\n"}}),
        50, 10);
}

BOOST_AUTO_TEST_CASE(in_a_container_the_mount_is_the_group) {
  check(memory_with({{"proc/self/cgroup", "0::/../../other\n"},
                     {"sys/fs/cgroup/memory.max", "104857600\n"},
                     {"sys/fs/cgroup/memory.current", "209715200\n"}}),
        100, 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_does_not_limit) {
  const sweep::TemporaryFolder empty;
  const MachineMemory memory = machine_memory(empty.path());
  BOOST_TEST(memory.available > std::uint64_t{1} << 60U);
  check(memory_with({{"proc/self/cgroup", "nonsense\n\n:\n::\n"}}), 1000, 800);
}

BOOST_AUTO_TEST_CASE(this_machine_has_memory) {
  const MachineMemory memory = machine_memory();
  BOOST_TEST(memory.total > 0u);
  BOOST_TEST(memory.available <= memory.total);
}

BOOST_AUTO_TEST_SUITE_END()
