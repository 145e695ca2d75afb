// Tensor maps and textures on a GPU: the same patterns, and the same results, as on the emulator.
#include <boost/test/data/test_case.hpp>

#include "engine/cuda/cuda_backend.h"
#include "tests/contains.h"
#include "tests/cuda/gpu_fixture.h"
#include "tests/tensor_patterns.h"
#include "tests/texture_patterns.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace gpu_objects {
namespace {

/// "correct", or what the GPU does otherwise; each of the samples works on copies of the buffers,
/// with objects of their own.
std::string outcome_of(const std::string& text) {
  static const std::unique_ptr<Backend> backend = make_cuda_backend(first_gpu());
  try {
    const Workload workload = compiled_workload("kernel", text);
    const auto execution = backend->prepare(workload, {});
    execution->initialise();
    execution->launch();
    std::string result = execution->verify().value_or("correct");
    if (result == "correct") execution->sample(CacheState::cold, 2);
    return result;
  } catch (const ExecutionFailure& failure) {
    return failure.what();
  }
}

bool has_tensor_maps() {
  return first_gpu().compute_capability >= 90;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_objects_suite, *boost::unit_test::precondition(has_gpu))

BOOST_DATA_TEST_CASE(boxes_are_loaded_as_on_the_emulator, data::make(tensor_cases), row) {
  if (has_tensor_maps()) BOOST_TEST(outcome_of(tensor_load_pattern(row)) == "correct");
}

BOOST_DATA_TEST_CASE(boxes_are_stored_as_on_the_emulator, data::make(tensor_cases), row) {
  if (has_tensor_maps()) BOOST_TEST(outcome_of(tensor_store_pattern(row, false)) == "correct");
}

BOOST_DATA_TEST_CASE(boxes_are_added_as_on_the_emulator, data::make(tensor_cases), row) {
  const bool is_executed = has_tensor_maps() && can_add(row);
  if (is_executed) BOOST_TEST(outcome_of(tensor_store_pattern(row, true)) == "correct");
}

BOOST_DATA_TEST_CASE(textures_are_read_as_on_the_emulator, data::make(texture_cases), row) {
  BOOST_TEST(outcome_of(texture_pattern(row)) == "correct");
}

BOOST_AUTO_TEST_CASE(textures_are_fetched_and_gathered_as_on_the_emulator) {
  BOOST_TEST(outcome_of(texture_fetch_pattern) == "correct");
  BOOST_TEST(outcome_of(texture_gather_pattern) == "correct");
  BOOST_TEST(outcome_of(texture_query_pattern) == "correct");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gpu_objects
