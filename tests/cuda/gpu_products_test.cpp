// wgmma on a GPU: the same patterns, and the same bits, as on the emulator.
#include <boost/test/data/test_case.hpp>

#include "engine/cuda/cuda_backend.h"
#include "tests/cuda/gpu_fixture.h"
#include "tests/wgmma_patterns.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(gpu_products, *boost::unit_test::precondition(has_gpu))

BOOST_DATA_TEST_CASE(matrices_are_multiplied_as_on_the_emulator, data::make(wgmma_cases), row) {
  // No other capability has it.
  if (first_gpu().compute_capability != 90) return;
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution = backend->prepare(compiled_workload("kernel", wgmma_pattern(row)), {});
  execution->initialise();
  execution->launch();
  BOOST_TEST(execution->verify().value_or("correct") == "correct");
}

BOOST_AUTO_TEST_SUITE_END()
