// Kernels that wait for asynchronous copies and for each other: right on a GPU as on the emulator.
#include <boost/test/data/test_case.hpp>

#include "engine/cuda/cuda_backend.h"
#include "tests/cuda/gpu_fixture.h"
#include "tests/emulator/execution/copying_kernels.h"
#include "tests/emulator/execution/meeting_kernels.h"

using namespace sweep;

namespace gpu_synchronised {
namespace {

std::string outcome_of(const SynchronisedKernel& kernel) {
  static const std::unique_ptr<Backend> backend = make_cuda_backend(first_gpu());
  try {
    const Workload workload = compiled_workload("kernel", pattern_of(kernel, "", kernel.body));
    const auto execution = backend->prepare(workload, {});
    execution->initialise();
    execution->launch();
    return execution->verify().value_or("correct");
  } catch (const ExecutionFailure& failure) {
    return failure.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_synchronised_suite, *boost::unit_test::precondition(has_gpu))

BOOST_DATA_TEST_CASE(kernels_wait_for_copies, boost::unit_test::data::make(copying_kernels),
                     kernel) {
  if (first_gpu().compute_capability >= 90) BOOST_TEST(outcome_of(kernel) == "correct");
}

BOOST_DATA_TEST_CASE(threads_meet, boost::unit_test::data::make(meeting_kernels), kernel) {
  BOOST_TEST(outcome_of(kernel) == "correct");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gpu_synchronised
