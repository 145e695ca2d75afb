#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/run/worker.h"
#include "engine/system/dynamic_library.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(worker_measurer)

namespace {

std::vector<std::string> worker(const std::string& device) {
  return {SWEEP_SCRIPTED_WORKER, device};
}

Workload named(const std::string& kernel, std::size_t cubin_bytes = 5) {
  Workload workload;
  workload.launches.front().kernel_entry = kernel;
  workload.program = std::make_shared<Program>(Program{std::vector<char>(cubin_bytes, 'x'), "ptx"});
  return workload;
}

PointRecord run(WorkerMeasurer& measurer, const Workload& workload) {
  return measurer.measure(workload, MeasureRules{}).point;
}

/// The sizes of the programs of those that were counted, "-" for the others.
std::string counted(const CounterResults& results) {
  std::string text;
  for (const Observation& workload : results.workloads) {
    text += text.empty() ? "" : " ";
    text += workload.metrics.empty()
                ? "-"
                : std::to_string(static_cast<int>(workload.metrics.front().value));
  }
  return text;
}

CounterResults count(WorkerMeasurer& measurer, const std::vector<Workload>& workloads,
                     const std::string& counter = "memory") {
  const CounterRequest request{{counter}, CacheState::cold};
  return measurer.count(workloads, request);
}

std::string device_error(const std::vector<std::string>& command) {
  try {
    WorkerMeasurer measurer(command);
    measurer.disturbances();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "none";
}

const char* const killed = "the process that runs the kernel was killed by signal 9 (Killed)";

}  // namespace

BOOST_AUTO_TEST_CASE(a_worker_says_its_device_and_measures) {
  WorkerMeasurer measurer(worker("fake"));
  BOOST_TEST(measurer.device().name == "Fake GPU");
  BOOST_TEST(measurer.device().memory_bus_bits == 4000);
  const PointRecord point = run(measurer, named("ok", 9));
  BOOST_TEST((point.status == PointStatus::ok), point.reason);
  BOOST_TEST(point.samples.size() == 10U);
  BOOST_TEST(point.samples.front().seconds == 9.0);
  BOOST_TEST(point.stopped_by == "noise");
}

BOOST_AUTO_TEST_CASE(what_is_to_be_done_meanwhile_is_done_once_for_each_measurement) {
  WorkerMeasurer measurer(worker("fake"));
  int times = 0;
  for (int i = 0; i < 3; ++i) {
    const PointRecord point =
        measurer.measure(named("ok", 5), MeasureRules{}, [&] { ++times; }).point;
    BOOST_TEST(point.samples.front().seconds == 5.0);
  }
  BOOST_TEST(times == 3);
}

template <class Exception>
void check_thrown_meanwhile(const Exception& exception) {
  WorkerMeasurer measurer(worker("fake"));
  const auto fail = [&] { throw exception; };
  BOOST_CHECK_THROW(measurer.measure(named("ok", 5), MeasureRules{}, fail), Exception);
  // What was under way is not taken for the answer to what follows.
  BOOST_TEST(run(measurer, named("ok", 4)).samples.front().seconds == 4.0);
}

BOOST_AUTO_TEST_CASE(what_fails_meanwhile_is_no_failure_of_the_worker) {
  check_thrown_meanwhile(LibraryError("NVRTC breaks"));
  check_thrown_meanwhile(DeviceError("no device"));
  check_thrown_meanwhile(ChannelClosed());
  check_thrown_meanwhile(ChannelTimeout());
  check_thrown_meanwhile(7);
}

BOOST_AUTO_TEST_CASE(a_worker_that_talks_nonsense_is_replaced) {
  WorkerMeasurer measurer(worker("nonsense"));
  for (int i = 0; i < 2; ++i) {
    const PointRecord failed = run(measurer, named("ok"));
    BOOST_TEST((failed.status == PointStatus::failed));
    BOOST_TEST(failed.reason ==
               "the process that runs the kernel talks nonsense: a message ends too early");
  }
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

BOOST_AUTO_TEST_CASE(the_device_is_known_before_it_starts) {
  auto started = std::make_unique<WorkerProcess>(worker("broken"));
  WorkerMeasurer measurer(worker("broken"), 30, std::move(started));
  BOOST_TEST(measurer.device().driver == "broken");
  BOOST_CHECK_THROW(run(measurer, named("ok")), DeviceError);
}

BOOST_AUTO_TEST_CASE(after_closing_another_worker_measures) {
  WorkerMeasurer measurer(worker("fake"));
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
  measurer.close();
  BOOST_TEST((run(measurer, named("ok", 4)).status == PointStatus::ok));
}

BOOST_AUTO_TEST_CASE(a_worker_says_what_disturbs_it) {
  WorkerMeasurer measurer(worker("fake"));
  BOOST_TEST(measurer.disturbances() == std::vector<std::string>{"another process uses the GPU"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(workloads_are_counted_together_between_measurements) {
  WorkerMeasurer measurer(worker("fake"));
  const Workload large = named("ok", 1'000'000);
  BOOST_TEST(run(measurer, large).samples.front().seconds == 1e6);
  const CounterResults results = count(measurer, {named("ok", 3), large, named("ok", 4), large});
  BOOST_TEST(counted(results) == "3 1000000 4 1000000");
  BOOST_TEST((results.workloads.front().metrics.front().origin == Origin::hardware));
  BOOST_TEST(run(measurer, large).samples.front().seconds == 1e6);
  BOOST_TEST(counted(count(measurer, {})) == "");
}

BOOST_AUTO_TEST_CASE(a_problem_of_counting_is_said_once_even_by_two_workers) {
  WorkerMeasurer measurer(worker("fake"));
  BOOST_REQUIRE(count(measurer, {named("ok")}, "memory").problems.size() == 1U);
  BOOST_TEST(count(measurer, {named("ok")}, "memory").problems.empty());
  count(measurer, {named("crash")});
  BOOST_TEST(count(measurer, {named("ok")}, "memory").problems.empty());
  BOOST_TEST(count(measurer, {named("ok")}, "dram").problems.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_failure_while_counting_leaves_what_was_got) {
  WorkerMeasurer measurer(worker("fake"));
  BOOST_TEST(counted(count(measurer, {named("ok", 3), named("fail"), named("ok", 4)})) == "3 - 4");
  const CounterResults poisoned = count(measurer, {named("ok", 3), named("poison"), named("ok")});
  BOOST_TEST(counted(poisoned) == "3 - -");
  BOOST_TEST(poisoned.workloads[1].notes.front() == "illegal address");
  BOOST_TEST(counted(count(measurer, {named("ok", 6)})) == "6");
}

BOOST_DATA_TEST_CASE(
    a_worker_that_dies_while_counting_is_replaced,
    data::make({"crash", "exit", "throw"}) ^
        data::make({std::string("the hardware's counters were not read: ") + killed,
                    std::string("the hardware's counters were not read: the process that runs the "
                                "kernel ended with exit code 7"),
                    std::string("the hardware's counters were not read: something unforeseen")}),
    kernel, problem) {
  WorkerMeasurer measurer(worker("fake"));
  const CounterResults results = count(measurer, {named("ok"), named(kernel)});
  BOOST_TEST(counted(results) == "- -");
  BOOST_TEST(results.problems == std::vector<std::string>{problem},
             boost::test_tools::per_element());
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
}

BOOST_AUTO_TEST_CASE(counting_is_alive_as_long_as_its_workloads_end) {
  WorkerMeasurer measurer(worker("fake"), 0.35);
  const Workload slow = named("slow", 2);
  BOOST_TEST(counted(count(measurer, {slow, slow, slow, slow})) == "2 2 2 2");
  const CounterResults results = count(measurer, {slow, named("hang")});
  BOOST_REQUIRE(!results.problems.empty());
  BOOST_TEST(results.problems.front() ==
             "the hardware's counters were not read: stopped after 0.35 s without a sign of life "
             "during the count");
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_never_ends_is_stopped) {
  WorkerMeasurer measurer(worker("fake"), 0.3);
  const PointRecord failed = run(measurer, named("hang"));
  BOOST_TEST(failed.reason == "stopped after 0.3 s without a sign of life during the allocation");
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
}

BOOST_AUTO_TEST_CASE(a_worker_that_takes_no_work_is_replaced) {
  constexpr std::size_t more_than_a_socket_holds = 10'000'000;
  WorkerMeasurer measurer(worker("fake"), 0.3);
  measurer.disturbances();  // until it has started nothing is loaded
  measurer.load(named("stuck"));
  const PointRecord failed = run(measurer, named("ok", more_than_a_socket_holds));
  BOOST_TEST(failed.reason ==
             "the process that runs the kernel did not take its work within 0.3 s");
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
  measurer.load(named("stuck"));
  measurer.load(named("ok", more_than_a_socket_holds));
  BOOST_TEST((run(measurer, named("ok")).status == PointStatus::ok));
}

BOOST_AUTO_TEST_CASE(a_device_that_does_not_start_is_an_error_in_the_workers_words) {
  BOOST_TEST(device_error(worker("none")) == "there is no such device");
  BOOST_TEST(device_error(worker("broken")) == "the device does not start");
  BOOST_TEST(device_error(worker("crash")) ==
             "the worker process was killed by signal 9 (Killed) before its device had started");
  BOOST_TEST(device_error({"/no/such/program"}) ==
             "no worker process can be started: /no/such/program: No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
