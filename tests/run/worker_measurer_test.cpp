#include "engine/run/worker_measurer.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace sweep;
namespace data = boost::unit_test::data;

namespace {

std::vector<std::string> worker(const std::string& device) {
  return {SWEEP_SCRIPTED_WORKER, device};
}

Workload named(const std::string& kernel, std::size_t cubin_bytes = 5) {
  Workload workload;
  workload.kernel_entry = kernel;
  workload.program = std::make_shared<Program>(Program{std::vector<char>(cubin_bytes, 'x'), "ptx"});
  return workload;
}

PointRecord run(WorkerMeasurer& measurer, const Workload& workload) {
  return measurer.measure(workload, MeasureRules{}, UsefulTraffic{}).point;
}

std::string device_error(const std::vector<std::string>& command) {
  try {
    const WorkerMeasurer measurer(command);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

const char* const killed = "the process that runs the kernel was killed by signal 9 (Killed)";

BOOST_AUTO_TEST_SUITE(worker_measurer)

BOOST_AUTO_TEST_CASE(a_worker_says_its_device_and_measures) {
  WorkerMeasurer measurer(worker("fake"));
  BOOST_TEST(measurer.device().name == "Fake GPU");
  BOOST_TEST(measurer.device().memory_bus_bits == 4000);
  const PointRecord point = run(measurer, named("ok", 9));
  BOOST_TEST((point.status == PointStatus::ok));
  BOOST_TEST(point.samples.size() == 10U);
  BOOST_TEST(point.samples.front().seconds == 9.0);
  BOOST_TEST(point.stopped_by == "noise");
}

BOOST_AUTO_TEST_CASE(jobs_run_with_their_own_program_though_it_is_sent_once) {
  WorkerMeasurer measurer(worker("fake"));
  const Workload small = named("ok", 3);
  const Workload large = named("ok", 1'000'000);
  BOOST_TEST(run(measurer, small).samples.front().seconds == 3.0);
  BOOST_TEST(run(measurer, small).samples.front().seconds == 3.0);
  BOOST_TEST(run(measurer, large).samples.front().seconds == 1e6);
  BOOST_TEST(run(measurer, small).samples.front().seconds == 3.0);
}

BOOST_DATA_TEST_CASE(whatever_happens_to_a_point_the_next_one_is_measured,
                     data::make({"fail", "poison", "throw", "crash", "exit"}) ^
                         data::make({"it fails", "illegal address", "something unforeseen", killed,
                                     "the process that runs the kernel ended with exit code 7"}),
                     kernel, reason) {
  WorkerMeasurer measurer(worker("fake"));
  const PointRecord failed = run(measurer, named(kernel));
  BOOST_TEST((failed.status == PointStatus::failed));
  BOOST_TEST(failed.reason == reason);
  const PointRecord next = run(measurer, named("ok", 4));
  BOOST_TEST((next.status == PointStatus::ok));
  BOOST_TEST(next.samples.front().seconds == 4.0);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_never_ends_is_stopped) {
  WorkerMeasurer measurer(worker("fake"), 0.3);
  const PointRecord failed = run(measurer, named("hang"));
  BOOST_TEST(failed.reason == "stopped after 0.3 s without a sign of life during the allocation");
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
}

BOOST_AUTO_TEST_CASE(a_device_that_does_not_start_is_an_error_in_the_workers_words) {
  BOOST_TEST(device_error(worker("none")) == "there is no such device");
  BOOST_TEST(device_error(worker("crash")) ==
             "the worker process was killed by signal 9 (Killed) before its device had started");
  BOOST_TEST(device_error({"/no/such/program"}) ==
             "no worker process can be started: /no/such/program: No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
