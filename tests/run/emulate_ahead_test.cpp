#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "engine/run/workload.h"
#include "tests/run/fake_backend.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(emulate_ahead)

namespace {

Workload named(const std::string& kernel) {
  Workload workload;
  workload.launches.front().kernel_entry = kernel;
  return workload;
}

/// A backend that counts, and whose kernel "endless" ends when it is cancelled.
std::unique_ptr<Backend> counting_backend(const std::atomic<bool>& cancelled) {
  auto backend = std::make_unique<FakeBackend>();
  backend->can_time_ = false;
  FakeBackend& script = *backend;
  backend->on_prepare = [&script, &cancelled](const Workload& workload) {
    script.observation_ = {
        {{"load_sectors", Origin::emulated, static_cast<double>(workload.launches.front().grid.x)}},
        {}};
    if (workload.launches.front().kernel_entry != "endless") return;
    while (!cancelled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw ExecutionFailure("cancelled");
  };
  return backend;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_workload_gets_its_own_counts) {
  EmulateAhead ahead(counting_backend, 3);
  std::vector<std::future<Observation>> counts;
  for (std::uint32_t i = 1; i <= 50; ++i) {
    Workload workload = named("quick");
    workload.launches.front().grid.x = i;
    counts.push_back(ahead.count(workload, MeasureRules{}));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    BOOST_TEST(counts[i].get().metrics.front().value == static_cast<double>(i + 1));
  }
}

BOOST_AUTO_TEST_CASE(what_is_measured_is_verified_and_what_is_counted_is_not) {
  const auto wrong = [](const std::atomic<bool>& /*cancelled*/) {
    auto backend = std::make_unique<FakeBackend>();
    backend->can_time_ = false;
    backend->observation_ = {{{"load_sectors", Origin::emulated, 8}}, {}};
    backend->on_prepare = [&script = *backend](const Workload& workload) {
      const bool is_verified = !workload.verify.empty();
      script.on_verify = [is_verified] {
        return is_verified ? std::optional<std::string>("out[0] is 1, not 2") : std::nullopt;
      };
    };
    return backend;
  };
  EmulateAhead ahead(wrong, 2, EmulateAhead::Use::measure);
  Workload workload = named("quick");
  workload.verify.emplace_back();
  BOOST_TEST(!ahead.count(workload, MeasureRules{}).get().metrics.empty());
  const PointRecord point = ahead.measure(workload, MeasureRules{}).get().point;
  BOOST_TEST(point.reason == "out[0] is 1, not 2");
}

BOOST_AUTO_TEST_CASE(who_waits_hears_why_there_is_no_backend) {
  const auto none = [](const std::atomic<bool>& /*cancelled*/) -> std::unique_ptr<Backend> {
    throw std::runtime_error("there is no memory");
  };
  EmulateAhead ahead(none, 2);
  for (int i = 0; i < 5; ++i) {
    std::future<Observation> counts = ahead.count(named("quick"), MeasureRules{});
    BOOST_CHECK_THROW(counts.get(), std::runtime_error);
  }
}

BOOST_AUTO_TEST_CASE(what_never_ends_is_cancelled_with_it) {
  EmulateAhead ahead(counting_backend, 2);
  for (int i = 0; i < 5; ++i) ahead.count(named("endless"), MeasureRules{});
}

BOOST_AUTO_TEST_SUITE_END()
