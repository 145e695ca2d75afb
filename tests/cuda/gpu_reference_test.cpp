#include <cstring>

#include "engine/cuda/cuda_backend.h"
#include "engine/cuda/device_references.h"
#include "engine/cuda/loaded_workload.h"
#include "engine/run/worker.h"
#include "tests/contains.h"
#include "tests/cuda/gpu_fixture.h"
#include "tests/referenced_pattern.h"

using namespace sweep;
using namespace sweep::testing;

namespace gpu_reference {
namespace {

Workload workload(std::initializer_list<std::pair<const char*, std::int64_t>> given,
                  const std::string& text = referenced_pattern) {
  return compiled_workload("doubled", text, integers(given));
}

std::string result_of(Backend& backend, const Workload& workload) {
  try {
    const auto execution = backend.prepare(workload, {});
    execution->initialise();
    execution->launch();
    return execution->verify().value_or("correct");
  } catch (const ExecutionFailure& failure) {
    return failure.what();
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace
}  // namespace gpu_reference

BOOST_AUTO_TEST_SUITE(gpu_reference_suite, *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(results_are_compared_with_a_reference_s) {
  using namespace gpu_reference;
  const auto backend = make_cuda_backend(first_gpu());
  BOOST_TEST(result_of(*backend, workload({{"N", 1 << 20}})) == "correct");
  BOOST_TEST(result_of(*backend, workload({{"N", 1 << 20}, {"BLOCK", 128}})) == "correct");
  // Another size meanwhile.
  BOOST_TEST(result_of(*backend, workload({{"N", 1 << 16}})) == "correct");
  BOOST_TEST(result_of(*backend, workload({{"N", 1 << 20}, {"WRONG", 7}})) ==
             "wrong result: 1 of 1,048,576 elements of 'out' fail the check out[i] == the "
             "reference's out; the first is i = 7: 43, expected 42, off by 1 (1 ulp)");
}

BOOST_AUTO_TEST_CASE(a_reference_runs_once_for_equal_inputs) {
  using namespace gpu_reference;
  CudaContext context(first_gpu());
  const Workload first = workload({{"N", 4096}});
  const Workload second = workload({{"N", 4096}, {"BLOCK", 128}});
  const Workload other = workload({{"N", 8192}});
  DeviceReferences& references = context.references;
  BOOST_TEST(references.address(*first.reference, "out") == 0U);
  references.provide(context, first);
  const CUdeviceptr values = references.address(*first.reference, "out");
  BOOST_TEST(values != 0U);
  BOOST_TEST(references.address(*first.reference, "in") == 0U);
  references.provide(context, other);
  references.provide(context, second);
  BOOST_TEST(references.address(*second.reference, "out") == values);
  BOOST_TEST(references.free_others(second));
  BOOST_TEST(!references.free_others(second));
  BOOST_TEST(references.address(*other.reference, "out") == 0U);
}

BOOST_AUTO_TEST_CASE(what_goes_wrong_in_a_reference_says_so) {
  using namespace gpu_reference;
  const auto backend = make_cuda_backend(first_gpu());
  const std::string launch = replaced(referenced_pattern, "block: 32}", "block: 2048}");
  BOOST_TEST(result_of(*backend, workload({}, launch)) ==
             "the reference: bad launch: the block's size is 2048, the device takes at most 1024");
  BOOST_TEST(backend->usable());
  BOOST_TEST(result_of(*backend, workload({})) == "correct");
  const std::string outside =
      replaced(referenced_pattern, "out[i] = in[i] + in[i]", "out[i + (1ll << 40)] = in[i]");
  // It takes the process with it.
  WorkerMeasurer measurer({SWEEP_PROGRAM, "worker", "0"});
  BOOST_TEST(measurer.measure(workload({}, outside), {}).point.reason ==
             "the reference: illegal address: its kernel accessed memory outside the buffers");
}

BOOST_AUTO_TEST_SUITE_END()
