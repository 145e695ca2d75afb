#include "engine/run/worker_messages.h"

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace sweep;

namespace {

WorkerJob job() {
  WorkerJob job;
  job.workload.program =
      std::make_shared<Program>(Program{{'\0', 'E', 'L', 'F', '\xff'}, "unused with a cubin"});
  job.workload.kernel_entry = "_ZN8sweep_c06strideEPf";
  job.workload.buffers = {{"data", 1ULL << 40U, 1ULL << 42U, "init_0"}, {"out", 1, 8, ""}};
  job.workload.scalars = {{std::byte{1}, std::byte{255}}, {}};
  job.workload.verify = {{"check_0", 17, "data", "data[i] == \"é\""}};
  job.workload.grid = {1, 2, 4'000'000'000U};
  job.workload.block = {5, 6, 7};
  job.workload.shared_bytes = 48 * 1024;
  job.rules.cache = CacheState::warm;
  job.rules.noise = 0.25;
  job.rules.min_samples = 3;
  job.rules.max_samples = 4;
  job.rules.seconds = 1e-3;
  job.rules.caches = true;
  job.useful = {std::numeric_limits<std::uint64_t>::max(), 17};
  return job;
}

void check_equal(const Extent3& a, const Extent3& b) {
  BOOST_TEST(a.x == b.x);
  BOOST_TEST(a.y == b.y);
  BOOST_TEST(a.z == b.z);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_messages)

BOOST_AUTO_TEST_CASE(a_job_comes_back_as_it_went) {
  const WorkerJob sent = job();
  const WorkerJob received = decode_job(encode(sent, true), nullptr);
  const Workload& a = sent.workload;
  const Workload& b = received.workload;
  BOOST_TEST((a.program->cubin == b.program->cubin));
  BOOST_TEST(a.kernel_entry == b.kernel_entry);
  BOOST_REQUIRE(b.buffers.size() == 2U);
  BOOST_TEST(b.buffers[0].name == "data");
  BOOST_TEST(b.buffers[0].length == 1ULL << 40U);
  BOOST_TEST(b.buffers[0].bytes == 1ULL << 42U);
  BOOST_TEST(b.buffers[0].init_entry == "init_0");
  BOOST_TEST((a.scalars == b.scalars));
  BOOST_REQUIRE(b.verify.size() == 1U);
  BOOST_TEST(b.verify[0].check_entry == "check_0");
  BOOST_TEST(b.verify[0].length == 17U);
  BOOST_TEST(b.verify[0].condition == "data[i] == \"é\"");
  check_equal(a.grid, b.grid);
  check_equal(a.block, b.block);
  BOOST_TEST(b.shared_bytes == 48U * 1024);
  BOOST_TEST((sent.rules == received.rules));
  BOOST_TEST(received.useful.device == sent.useful.device);
}

BOOST_AUTO_TEST_CASE(a_program_without_cubin_travels_as_ptx) {
  WorkerJob sent = job();
  sent.workload.program = std::make_shared<Program>(Program{{}, ".version 9.0"});
  const WorkerJob received = decode_job(encode(sent, true), nullptr);
  BOOST_TEST(received.workload.program->cubin.empty());
  BOOST_TEST(received.workload.program->ptx == ".version 9.0");
}

BOOST_AUTO_TEST_CASE(a_job_without_program_takes_the_one_before) {
  const auto program = std::make_shared<const Program>();
  BOOST_TEST(decode_job(encode(job(), false), program).workload.program.get() == program.get());
  BOOST_CHECK_THROW(decode_job(encode(job(), false), nullptr), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(a_result_comes_back_as_it_went) {
  PointRecord point;
  point.status = PointStatus::failed;
  point.reason = "wrong\nresult";
  point.stopped_by = "noise";
  point.samples = {{1e-9}, {0.1, 1.98e9, SampleMark::low_clock}};
  point.metrics = {{"time", Origin::measured, 0.1}, {"x", Origin::hardware, 1e300}};
  point.notes = {"executed 5 of 4096 blocks", "é\n"};
  WorkerResult sent = {{point, {}, 0.25}, false};
  sent.measurement.times[Phase::verify] = 0.5;
  const auto reply = decode_reply(encode(sent));
  const auto& result = std::get<WorkerResult>(reply);
  BOOST_TEST((result.measurement.point == point));
  BOOST_TEST((result.measurement.times == sent.measurement.times));
  BOOST_TEST(result.measurement.busy_seconds == 0.25);
  BOOST_TEST(!result.usable);
}

BOOST_AUTO_TEST_CASE(a_sign_of_life_is_no_result) {
  const auto reply = decode_reply(encode(WorkerAlive{"init"}));
  BOOST_REQUIRE(std::holds_alternative<WorkerAlive>(reply));
  BOOST_TEST(std::get<WorkerAlive>(reply).step == "init");
}

BOOST_AUTO_TEST_CASE(a_hello_carries_the_device_or_the_error) {
  Device device;
  device.name = "NVIDIA H200";
  device.memory_bytes = 1ULL << 37U;
  BOOST_TEST(decode_hello(encode(WorkerHello{device, {}})).device.memory_bytes == 1ULL << 37U);
  BOOST_TEST(decode_hello(encode(WorkerHello{{}, "no GPU"})).error == "no GPU");
}

BOOST_AUTO_TEST_CASE(other_bytes_are_an_error) {
  const Bytes nonsense = {0x01, 0x02, 0xff};
  BOOST_CHECK_THROW(decode_hello(nonsense), std::exception);
  BOOST_CHECK_THROW(decode_reply(nonsense), std::exception);
  BOOST_CHECK_THROW(decode_job(encode(WorkerAlive{"init"}), nullptr), std::exception);
}

BOOST_AUTO_TEST_SUITE_END()
