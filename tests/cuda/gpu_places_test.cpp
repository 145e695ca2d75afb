#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <iostream>

#include "engine/cuda/cuda_backend.h"
#include "engine/spec/place.h"
#include "tests/cuda/gpu_fixture.h"

namespace data = boost::unit_test::data;
using namespace sweep;

namespace gpu_places {
namespace {

/// Reads one buffer in a place and writes another; WRONG elements are.
constexpr const char* text = R"cuda(/* pattern:
parameters: {PLACE: {type: place, default: device}, N: 1000000, WRONG: 0}
buffers:
  in: {type: float, length: N, init: i % 101, place: PLACE}
  out: {type: float, length: N, place: PLACE}
  own: {type: float, length: N}
launch: {grid: 3907, block: 256}
useful: {read: N * 4, write: N * 8}
verify:
  out: out[i] == i % 101 + 1
  own: own[i] == i % 101 + 2 && in[i] == i % 101
*/
__global__ void kernel(const float* in, float* out, float* own) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= N) return;
  out[i] = in[i] + 1 + (i < WRONG);
  own[i] = in[i] + 2;
}
)cuda";

Bindings placed(std::string_view place, std::int64_t wrong) {
  Bindings given = integers({{"WRONG", wrong}});
  given.set("PLACE", std::string(place));
  return given;
}

/// Whether the GPU has the place; says why not.
bool is_there(std::string_view place) {
  const std::string reason = why_not_there(*find_place(place), 1, first_gpu());
  if (reason.empty()) return true;
  std::cout << "skipped: " << place << ": " << reason << std::endl;
  return false;
}

}  // namespace
}  // namespace gpu_places

BOOST_AUTO_TEST_SUITE(gpu_places, *boost::unit_test::precondition(has_gpu))

using namespace ::gpu_places;

BOOST_DATA_TEST_CASE(buffers_anywhere_are_filled_checked_and_timed, data::make(place_names),
                     place) {
  if (!is_there(place)) return;
  const auto backend = make_cuda_backend(first_gpu());
  const Workload workload = compiled_workload("kernel", text, placed(place, 0));
  // Twice: what the first had is used again.
  for (int i = 0; i < 2; ++i) {
    const auto execution = backend->prepare(workload, {});
    execution->initialise();
    execution->launch();
    BOOST_TEST(execution->verify().value_or("correct") == "correct");
    for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
      const auto samples = execution->sample(cache, 3);
      BOOST_TEST(samples.size() == 3U);
      BOOST_TEST(samples.front().seconds > 0);
    }
    BOOST_TEST(execution->verify().value_or("correct") == "correct");
  }
}

BOOST_DATA_TEST_CASE(wrong_elements_are_found_anywhere, data::make(place_names), place) {
  if (!is_there(place)) return;
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution = backend->prepare(compiled_workload("kernel", text, placed(place, 3)), {});
  execution->initialise();
  execution->launch();
  const std::string mismatch = execution->verify().value_or("correct");
  BOOST_TEST(mismatch.find("3 of 1,000,000") != std::string::npos, mismatch);
}

BOOST_DATA_TEST_CASE(a_copy_engine_copies_from_anywhere, data::make(place_names), place) {
  if (!is_there(place)) return;
  std::string copied = text;
  copied.replace(copied.find("block: 256}"), 11,
                 "block: 256, copy_engine: {from: in, to: own, bytes: 4 * N}}");
  copied.replace(copied.find("  out: out[i] == i % 101 + 1\n"), 29, "");
  copied.replace(copied.find("i % 101 + 2"), 11, "i % 101");
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution =
      backend->prepare(compiled_workload("kernel", copied, placed(place, 0)), {});
  execution->initialise();
  execution->launch();
  BOOST_TEST(execution->verify().value_or("correct") == "correct");
  BOOST_TEST(execution->sample(CacheState::cold, 2).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_peer_that_is_not_there_fails_with_the_reason) {
  const auto backend = make_cuda_backend(first_gpu());
  Workload workload = compiled_workload("kernel", text, placed("device", 0));
  workload.buffers.front().place = Place::peer;
  workload.buffers.front().peer = 100;
  BOOST_CHECK_EXCEPTION(backend->prepare(workload, {}), ExecutionFailure,
                        [](const ExecutionFailure& failure) {
                          const std::string reason = failure.what();
                          return reason.find("reaches") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()
