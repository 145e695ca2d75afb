#include "engine/run/worker_process.h"

#include <sys/time.h>
#include <sys/wait.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>

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
  for (int i = 0; i < 100; ++i) WorkerProcess({"/bin/sleep", "60"});
  const pid_t left = waitpid(-1, nullptr, WNOHANG);
  BOOST_TEST(left == -1);
  BOOST_TEST(errno == ECHILD);
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
