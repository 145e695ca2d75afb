#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "engine/run/compile_pool.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/compiler_words.h"
#include "tests/run/telling_pattern.h"
#include "tests/wait_until.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(compiler_threads)

namespace {

int niceness(pid_t thread) {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
}

/// Of a thread that gives way to one with this.
int nicer_than(int own) {
  constexpr int nicest = 19;
  return std::min(own + 5, nicest);
}

std::ptrdiff_t threads_with(int wanted) {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::count_if(begin(threads), end(threads), [&](const auto& entry) {
    return niceness(std::stoi(entry.path().filename().string())) == wanted;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(give_way_to_others_however_nice_the_program_is) {
  int first = 0;
  int second = 0;
  std::thread thread([&] {
    lower_own_priority();
    first = niceness(gettid());
    lower_own_priority();
    second = niceness(gettid());
  });
  thread.join();
  BOOST_TEST(first == nicer_than(niceness(0)));
  BOOST_TEST(second == nicer_than(first));
}

BOOST_AUTO_TEST_CASE(that_compile_give_way_too, *boost::unit_test::precondition(has_nvrtc)) {
  CompileSettings settings;
  settings.nvrtc = nvrtc();
  settings.compute_capability = newer_than_any;
  settings.compilers = 2;
  settings.processes = compilers_that("scripted");
  const std::vector<Configuration> configurations = telling_configurations(2, 1);
  const CompilePool compiled(settings, configurations);
  const int wanted = nicer_than(niceness(0));
  BOOST_TEST(wait_until([&] { return threads_with(wanted) >= 2; }));
}

BOOST_AUTO_TEST_SUITE_END()
