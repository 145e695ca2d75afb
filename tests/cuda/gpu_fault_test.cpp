#include <boost/test/data/test_case.hpp>

#include "engine/cuda/cuda_backend.h"
#include "engine/run/worker.h"
#include "tests/cuda/gpu_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace gpu_faults {
namespace {

const char* const faulty = R"cuda(/* pattern:
parameters: {KIND: 0, GIB: 0, BLOCK: 256, SHARED: 0}
buffers:
  data: {type: int, length: "1 Mi + GIB * 256 Mi", init: "int(i)"}
launch: {grid: 4096, block: BLOCK, shared: SHARED}
useful: {read: 4 Mi, write: 4 Mi}
verify: "data[i] == int(i) + (i < (1 << 20))"
*/
__global__ void faulty(int* data) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  if (KIND == 1) data[i + (1ll << 40)] = 1;
  if (KIND == 2) *(long long*)((char*)data + 4 + i * 8) = 1;
  if (KIND == 3) assert(i != 77);
  if (KIND == 4) __trap();
  if (KIND == 5) { while (*(volatile int*)&data[0] != -1) {} }
  if (KIND == 6 && i >= 1234) return;
  data[i] += 1;
}
)cuda";

std::vector<std::string> worker() {
  return {SWEEP_PROGRAM, "worker", "0"};
}

PointRecord run(Measurer& measurer, const Bindings& given) {
  MeasureRules rules;
  rules.seconds = 0.1;
  return measurer.measure(compiled_workload("faulty", faulty, given), rules).point;
}

}  // namespace
}  // namespace gpu_faults

BOOST_AUTO_TEST_SUITE(gpu_faults, *boost::unit_test::precondition(has_gpu))

BOOST_DATA_TEST_CASE(a_fault_is_a_failed_point_with_its_reason_and_the_next_point_is_measured,
                     data::make({1, 2, 3, 4, 6}) ^
                         data::make({"illegal address: the kernel accessed memory outside the "
                                     "buffers",
                                     "misaligned address: the kernel made an access not "
                                     "aligned to its size",
                                     "an assert() in the kernel failed",
                                     "the kernel stopped with a fault or a trap "
                                     "(cuStreamSynchronize: unspecified launch failure "
                                     "(CUDA_ERROR_LAUNCH_FAILED))",
                                     "wrong result: 1,047,342 of 1,048,576 elements of 'data' "
                                     "fail the check data[i] == int(i) + (i < (1 << 20)); the "
                                     "first is i = 1234: 1234, expected 1235"}),
                     kind, reason) {
  WorkerMeasurer measurer(worker());
  const PointRecord failed = run(measurer, integers({{"KIND", kind}}));
  BOOST_TEST((failed.status == PointStatus::failed));
  BOOST_TEST(failed.reason == reason);
  const PointRecord next = run(measurer, {});
  BOOST_TEST(next.reason == "");
  BOOST_TEST(!next.samples.empty());
}

BOOST_AUTO_TEST_CASE(a_kernel_that_never_ends_is_stopped) {
  WorkerMeasurer measurer(worker(), 3);
  BOOST_TEST(run(measurer, integers({{"KIND", 5}})).reason ==
             "stopped after 3 s without a sign of life during the first launch");
  BOOST_TEST(run(measurer, {}).reason == "");
}

BOOST_AUTO_TEST_CASE(what_the_device_does_not_have_is_refused_and_leaves_it_usable) {
  const auto backend = make_cuda_backend(first_gpu());
  LocalMeasurer measurer(*backend);
  const auto reason = [&](const Bindings& given) { return run(measurer, given).reason; };
  BOOST_TEST(reason(integers({{"GIB", 100'000}})).starts_with("out of memory: the buffers need "));
  BOOST_TEST(reason(integers({{"BLOCK", 2048}})) ==
             "bad launch: the block's size is 2048, the device takes at most 1024");
  BOOST_TEST(reason(integers({{"SHARED", 1 << 24}}))
                 .starts_with("bad launch: dynamic shared memory in bytes is 16777216, the device "
                              "takes at most "));
  BOOST_TEST(backend->usable());
  BOOST_TEST(reason({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
