// Clusters and cooperative grids on a GPU: the same patterns, and the same results, as on the
// emulator.
#include <boost/test/data/test_case.hpp>

#include "engine/cuda/cuda_backend.h"
#include "tests/cluster_patterns.h"
#include "tests/cuda/gpu_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace gpu_clusters {
namespace {

std::string outcome_of(const std::string& text) {
  static const std::unique_ptr<Backend> backend = make_cuda_backend(first_gpu());
  try {
    const Workload workload = compiled_workload("kernel", text);
    const auto execution = backend->prepare(workload, {});
    execution->initialise();
    execution->launch();
    return execution->verify().value_or("correct");
  } catch (const ExecutionFailure& failure) {
    return failure.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_clusters_suite, *boost::unit_test::precondition(has_gpu))

BOOST_DATA_TEST_CASE(blocks_work_together_as_on_the_emulator, data::make(cluster_patterns),
                     pattern) {
  const bool is_executed = !pattern.has_clusters || first_gpu().compute_capability >= 90;
  if (is_executed) BOOST_TEST(outcome_of(pattern.text()) == "correct");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gpu_clusters
