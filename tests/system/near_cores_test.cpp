#include "engine/system/near_cores.h"

#include <sched.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

#include "tests/temporary_folder.h"

namespace {

using namespace sweep;
using Cores = std::vector<unsigned>;

/// How many cores a thread may use after it was kept to those of a device with this list.
int cores_near(const std::string& list) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "0000:1b:00.0");
  std::ofstream(folder.path() / "0000:1b:00.0" / "local_cpulist") << list << '\n';
  int count = 0;
  std::thread([&] {
    use_cores_near("0000:1B:00.0", folder.path());
    cpu_set_t usable;
    sched_getaffinity(0, sizeof usable, &usable);
    count = CPU_COUNT(&usable);
  }).join();
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(near_cores)

BOOST_AUTO_TEST_CASE(lists_are_read) {
  BOOST_TEST((read_core_list("0-3,8") == Cores{0, 1, 2, 3, 8}));
  BOOST_TEST((read_core_list("5") == Cores{5}));
  for (const char* bad : {"", "x", "1-", "1,,2", "-1", "99999999", "1-99999", "1;2"}) {
    BOOST_TEST(read_core_list(bad).empty(), bad);
  }
}

BOOST_AUTO_TEST_CASE(a_process_keeps_to_the_cores_of_the_device) {
  cpu_set_t usable;
  sched_getaffinity(0, sizeof usable, &usable);
  const int all = CPU_COUNT(&usable);
  Cores cores;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &usable)) cores.push_back(core);
  }
  if (all >= 2) {
    BOOST_TEST(cores_near(std::to_string(cores[0]) + "," + std::to_string(cores[1])) == 2);
  }
  BOOST_TEST(cores_near(std::to_string(cores[0])) == all, "one is too few");
  BOOST_TEST(cores_near("1022-1023") == all, "none of them may be used");
  BOOST_TEST(cores_near("nonsense") == all);
}

BOOST_AUTO_TEST_SUITE_END()
