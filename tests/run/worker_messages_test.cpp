#include <boost/test/unit_test.hpp>
#include <limits>

#include "engine/run/worker.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(worker_messages)

namespace {

WorkerTask job() {
  WorkerTask job;
  Workload& workload = job.workloads.emplace_back();
  workload.program =
      std::make_shared<Program>(Program{{'\0', 'E', 'L', 'F', '\xff'}, "unused with a cubin"});
  workload.launches.front().kernel_entry = "_ZN8sweep_c06strideEPf";
  workload.buffers = {{"data", 1ULL << 40U, 1ULL << 42U, "init_0"}, {"out", 1, 8, ""}};
  workload.scalars = {{std::byte{1}, std::byte{255}}, {}};
  workload.buffers[1].file = {"/data/out.npy", 128, 136, 1'700'000'000'000'000'000};
  workload.verify = {{"check_0", 17, "data", "data[i] == \"é\""}};
  workload.verify[0].expected = {"the expected data", 17, 68, "", true, {"/data/é.npy", 0, 68, 1}};
  workload.launches.front().grid = {1, 2, 4'000'000'000U};
  workload.launches.front().block = {5, 6, 7};
  workload.launches.front().shared_bytes = 48 * 1024;
  job.rules.cache = CacheState::warm;
  job.rules.noise = 0.25;
  job.rules.min_samples = 3;
  job.rules.max_samples = 4;
  job.rules.seconds = 1e-3;
  job.rules.caches = true;
  workload.useful = {std::numeric_limits<std::uint64_t>::max(), 17};
  return job;
}

template <class Reply>
Reply reply_of(const std::string& message) {
  return std::get<Reply>(decode_reply(message));
}

/// The job as a worker that has just started gets it.
WorkerTask sent_over(const WorkerTask& job) {
  SentPrograms sent;
  KeptPrograms kept;
  return decode_task(encode(job, sent), kept);
}

std::shared_ptr<const Program> program(char letter) {
  return std::make_shared<Program>(Program{{letter}, {}});
}

void check_equal(const Extent3& a, const Extent3& b) {
  BOOST_TEST(a.x == b.x);
  BOOST_TEST(a.y == b.y);
  BOOST_TEST(a.z == b.z);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_comes_back_as_it_went) {
  const WorkerTask sent = job();
  const WorkerTask received = sent_over(sent);
  const Workload& a = sent.workloads.front();
  const Workload& b = received.workloads.front();
  BOOST_TEST((a.program->cubin == b.program->cubin));
  BOOST_TEST(a.launches.front().kernel_entry == b.launches.front().kernel_entry);
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
  BOOST_CHECK(b.buffers[1].file == a.buffers[1].file);
  BOOST_CHECK(b.verify[0].expected.file == a.verify[0].expected.file);
  BOOST_TEST(b.verify[0].expected.bytes == 68U);
  check_equal(a.launches.front().grid, b.launches.front().grid);
  check_equal(a.launches.front().block, b.launches.front().block);
  BOOST_TEST(b.launches.front().shared_bytes == 48U * 1024);
  BOOST_TEST((sent.rules == received.rules));
  BOOST_TEST(b.useful.device == a.useful.device);
}

BOOST_AUTO_TEST_CASE(a_reference_travels_with_its_program) {
  SentPrograms sent;
  KeptPrograms kept;
  WorkerTask task = job();
  auto reference = std::make_shared<ReferencePlan>(ReferencePlan{"key", job().workloads.front()});
  reference->workload.program = program('r');
  task.workloads.front().verify[0].reference = "out";
  task.workloads.front().reference = reference;
  const std::string first = encode(task, sent);
  const std::string second = encode(task, sent);
  BOOST_TEST(second.size() < first.size());
  for (const std::string& message : {first, second}) {
    const Workload received = decode_task(message, kept).workloads.front();
    BOOST_REQUIRE(received.needs_reference());
    BOOST_TEST(received.reference->key == "key");
    BOOST_TEST(received.reference->workload.buffers.size() == 2U);
    BOOST_CHECK(received.reference->workload.program->cubin == std::vector<char>{'r'});
    BOOST_CHECK(received.program->cubin == task.workloads.front().program->cubin);
  }
}

BOOST_AUTO_TEST_CASE(a_program_without_cubin_travels_as_ptx) {
  WorkerTask sent = job();
  sent.workloads.front().program = std::make_shared<Program>(Program{{}, ".version 9.0"});
  const WorkerTask received = sent_over(sent);
  BOOST_TEST(received.workloads.front().program->cubin.empty());
  BOOST_TEST(received.workloads.front().program->ptx == ".version 9.0");
}

BOOST_AUTO_TEST_CASE(a_program_is_sent_once) {
  SentPrograms sent;
  KeptPrograms kept;
  WorkerTask large = job();
  large.workloads.front().program =
      std::make_shared<Program>(Program{std::vector<char>(1'000'000, 'x'), {}});
  WorkerTask small = job();
  const std::string first = encode(large, sent);
  const std::string second = encode(small, sent);
  const std::string third = encode(large, sent);
  BOOST_TEST(first.size() > 1'000'000U);
  BOOST_TEST(third.size() < 1000U);
  BOOST_TEST(decode_task(first, kept).workloads.front().program->cubin.size() == 1'000'000U);
  BOOST_TEST(decode_task(second, kept).workloads.front().program->cubin.size() == 5U);
  BOOST_TEST(decode_task(third, kept).workloads.front().program->cubin.size() == 1'000'000U);
  // A worker that has been replaced has none.
  KeptPrograms none;
  BOOST_CHECK_THROW(decode_task(third, none), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(a_count_job_comes_back_as_it_went_with_more_programs_than_a_worker_keeps) {
  WorkerTask sent_job{WorkerTask::Kind::count};
  sent_job.request = {{"memory", "l1tex__t_sectors.sum"}, CacheState::warm};
  std::vector<std::shared_ptr<const Program>> programs;
  for (std::size_t i = 0; i < 2 * program_slots; ++i) {
    Workload workload = job().workloads.front();
    workload.launches.front().kernel_entry = std::to_string(i);
    workload.program = program(static_cast<char>(i));
    sent_job.workloads.push_back(workload);
  }
  SentPrograms sent;
  KeptPrograms kept;
  const auto received = decode_task(encode(sent_job, sent), kept);
  BOOST_TEST(received.request.names == sent_job.request.names);
  BOOST_TEST((received.request.cache == CacheState::warm));
  BOOST_REQUIRE(received.workloads.size() == sent_job.workloads.size());
  for (std::size_t i = 0; i < received.workloads.size(); ++i) {
    BOOST_TEST(received.workloads[i].launches.front().kernel_entry == std::to_string(i));
    BOOST_TEST(received.workloads[i].program->cubin.front() == static_cast<char>(i));
  }
}

BOOST_AUTO_TEST_CASE(a_worker_has_the_programs_that_it_is_taken_to_have) {
  std::vector<std::shared_ptr<const Program>> programs;
  for (int i = 0; i < 100; ++i) programs.push_back(program(static_cast<char>(i)));
  testing::check_property([&] {
    SentPrograms sent;
    KeptPrograms kept;
    const auto order =
        *rc::gen::resize(1000, rc::gen::container<std::vector<std::size_t>>(
                                   rc::gen::inRange<std::size_t>(0, programs.size())));
    for (const std::size_t index : order) {
      WorkerTask sent_job = job();
      sent_job.workloads.front().program = programs[index];
      const WorkerTask received = decode_task(encode(sent_job, sent), kept);
      RC_ASSERT(received.workloads.front().program->cubin.front() == static_cast<char>(index));
    }
  });
}

BOOST_AUTO_TEST_CASE(the_program_not_used_for_longest_makes_room) {
  SentPrograms sent;
  std::vector<std::shared_ptr<const Program>> programs;
  for (std::size_t i = 0; i < program_slots; ++i) {
    programs.push_back(program('p'));
    BOOST_TEST(sent.place_of(programs.back()).is_new);
  }
  BOOST_TEST(!sent.place_of(programs[0]).is_new);
  BOOST_TEST(sent.place_of(program('q')).is_new);
  BOOST_TEST(!sent.place_of(programs[0]).is_new);
  BOOST_TEST(sent.place_of(programs[1]).is_new);
  sent = {};
  BOOST_TEST(sent.place_of(programs[0]).is_new);
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
  const WorkerReply reply = decode_reply(encode(WorkerAlive{"init"}));
  BOOST_REQUIRE(std::holds_alternative<WorkerAlive>(reply));
  BOOST_TEST(std::get<WorkerAlive>(reply).step == "init");
}

BOOST_AUTO_TEST_CASE(a_hello_carries_the_device_or_the_error) {
  Device device;
  device.name = "NVIDIA H200";
  device.memory_bytes = 1ULL << 37U;
  const WorkerHello hello{device, {"another process uses the GPU"}, {}};
  const WorkerHello received = reply_of<WorkerHello>(encode(hello));
  BOOST_TEST(received.device.name == "NVIDIA H200");
  BOOST_TEST(received.device.memory_bytes == 1ULL << 37U);
  BOOST_TEST(received.disturbances == hello.disturbances);
  const WorkerHello failed{{}, {}, "no GPU"};
  BOOST_TEST(reply_of<WorkerHello>(encode(failed)).error == "no GPU");
  BOOST_CHECK_THROW(reply_of<WorkerAlive>(encode(hello)), std::exception);
}

BOOST_AUTO_TEST_CASE(counts_come_back_as_they_went) {
  WorkerCounts sent;
  sent.results.workloads = {{{{"load_sectors", Origin::hardware, 1e15}}, {}}, {{}, {"a note"}}};
  sent.results.problems = {"no permission"};
  sent.usable = false;
  const WorkerReply reply = decode_reply(encode(sent));
  BOOST_REQUIRE(std::holds_alternative<WorkerCounts>(reply));
  const auto& received = std::get<WorkerCounts>(reply);
  BOOST_REQUIRE(received.results.workloads.size() == 2U);
  BOOST_TEST((received.results.workloads[0].metrics == sent.results.workloads[0].metrics));
  BOOST_TEST(received.results.workloads[1].notes == sent.results.workloads[1].notes);
  BOOST_TEST(received.results.problems == sent.results.problems);
  BOOST_TEST(!received.usable);
}

BOOST_AUTO_TEST_CASE(other_bytes_are_an_error) {
  const std::string nonsense = "\x01\x02\xff";
  BOOST_CHECK_THROW(decode_reply(nonsense), std::exception);
  KeptPrograms kept;
  BOOST_CHECK_THROW(decode_task(nonsense, kept), std::exception);
  BOOST_CHECK_THROW(decode_task(encode(WorkerAlive{"init"}), kept), std::exception);
  BOOST_CHECK_THROW(reply_of<WorkerHello>(encode(WorkerAlive{"init"})), std::exception);
}

BOOST_AUTO_TEST_CASE(a_message_that_is_cut_or_goes_on_is_an_error) {
  SentPrograms sent;
  std::string message = encode(job(), sent);
  for (std::size_t size = 0; size < message.size(); ++size) {
    KeptPrograms kept;
    BOOST_CHECK_THROW(decode_task(std::string_view(message).substr(0, size), kept),
                      std::runtime_error);
  }
  message.push_back('\0');
  KeptPrograms kept;
  BOOST_CHECK_THROW(decode_task(message, kept), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
