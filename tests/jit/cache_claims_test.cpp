#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/jit/cache_folder.h"
#include "tests/store/child_process.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {
namespace {
namespace cache_claims {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Claims {
  TemporaryFolder folder;
  CacheFolder cache{folder.path() / "cache" / "sweep"};
  std::atomic<bool> stopped = false;

  CacheClaims claim(const std::vector<std::string>& texts) const {
    return CacheClaims(cache, texts);
  }
  /// Whether it ends before its time is over.
  bool wait_is_short(CacheClaims& claims) const {
    const auto begin = std::chrono::steady_clock::now();
    claims.wait_for_others(seconds(60), stopped);
    return std::chrono::steady_clock::now() - begin < seconds(60);
  }
};

}  // namespace cache_claims

BOOST_FIXTURE_TEST_SUITE(cache_claims, cache_claims::Claims)

BOOST_AUTO_TEST_CASE(one_at_a_time_claims_a_text) {
  std::optional<CacheClaims> first = claim({"a", "b"});
  BOOST_TEST(first->holds(0));
  BOOST_TEST(first->holds(1));
  {
    const CacheClaims second = claim({"b", "c"});
    BOOST_TEST(!second.holds(0));
    BOOST_TEST(second.holds(1));
    BOOST_TEST(!claim({"c"}).holds(0));
  }
  BOOST_TEST(claim({"c"}).holds(0));
  first.reset();
  BOOST_TEST(claim({"b"}).holds(0));
}

BOOST_AUTO_TEST_CASE(waits_for_the_claims_of_others_without_its_own) {
  std::optional<CacheClaims> first = claim({"a", "b"});
  CacheClaims second = claim({"b", "c"});
  std::jthread other([&] {
    // Both wait for each other's, and neither for ever.
    while (!claim({"c"}).holds(0)) std::this_thread::sleep_for(milliseconds(1));
    first.reset();
  });
  BOOST_TEST(wait_is_short(second));
}

BOOST_AUTO_TEST_CASE(waits_no_more_when_it_is_stopped) {
  const CacheClaims first = claim({"a"});
  CacheClaims second = claim({"a"});
  stopped = true;
  BOOST_TEST(wait_is_short(second));
  BOOST_TEST(!second.holds(0));
}

BOOST_AUTO_TEST_CASE(a_process_that_dies_claims_nothing) {
  ChildProcess child([&](const ChildProcess::Say& say) {
    const CacheClaims held = claim({"a"});
    say(held.holds(0) ? "held" : "not.");
    for (;;) pause();
    return std::string();
  });
  BOOST_TEST(child.read(4) == "held");
  BOOST_TEST(!claim({"a"}).holds(0));
  child.kill();
  {
    CacheClaims next = claim({"a"});
    BOOST_TEST(wait_is_short(next));
  }
  BOOST_TEST(claim({"a"}).holds(0));
}

BOOST_AUTO_TEST_CASE(in_a_folder_that_cannot_be_written_everyone_claims_everything) {
  const CacheFolder closed("/proc/cache");
  const std::vector<std::string> texts = {"a"};
  const CacheClaims first(closed, texts);
  CacheClaims second(closed, texts);
  BOOST_TEST(first.holds(0));
  BOOST_TEST(second.holds(0));
  BOOST_TEST(wait_is_short(second));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
