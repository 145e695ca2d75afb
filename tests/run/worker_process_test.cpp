#include "engine/run/worker_process.h"

#include <sys/time.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

using namespace sweep;

BOOST_AUTO_TEST_SUITE(worker_process)

namespace {

/// Interrupts what waits, ten thousand times a second.
class ManySignals {
 public:
  ManySignals() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, &before_);
    set_interval(100);
  }
  ~ManySignals() {
    set_interval(0);
    sigaction(SIGALRM, &before_, nullptr);
  }
  ManySignals(const ManySignals&) = delete;
  ManySignals& operator=(const ManySignals&) = delete;

 private:
  static void set_interval(suseconds_t microseconds) {
    const itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
  struct sigaction before_ = {};
};

/// How many processes this one has started and not waited for.
std::size_t children() {
  const std::string parent = "PPid:\t" + std::to_string(getpid());
  std::size_t count = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(process.path() / "status");
    for (std::string line; std::getline(status, line);) count += line == parent ? 1 : 0;
  }
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(says_how_the_process_ended) {
  WorkerProcess done({"/bin/sh", "-c", "exit 3"});
  BOOST_TEST(done.wait() == "ended with exit code 3");
  WorkerProcess killed({"/bin/sleep", "60"});
  killed.kill();
  BOOST_TEST(killed.wait() == "was killed by signal 9 (Killed)");
  BOOST_TEST(killed.wait() == "ended, it is not known how");
}

BOOST_AUTO_TEST_CASE(leaves_no_process_behind_whatever_signals_come) {
  const ManySignals signals;
  const std::size_t before = children();
  for (int i = 0; i < 100; ++i) WorkerProcess({"/bin/sleep", "60"});
  BOOST_TEST(children() == before);
}

BOOST_AUTO_TEST_CASE(whoever_ignores_the_ends_of_children_still_waits_for_them) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  {
    WorkerProcess done({"/bin/sh", "-c", "exit 3"});
    BOOST_TEST(done.wait() == "ended, it is not known how");
  }
  std::signal(SIGCHLD, before);
}

BOOST_AUTO_TEST_SUITE_END()
