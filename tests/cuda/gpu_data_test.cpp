#include "engine/cuda/cuda_backend.h"
#include "tests/contains.h"
#include "tests/cuda/gpu_fixture.h"
#include "tests/numpy_file.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace gpu_data {
namespace {

constexpr int elements = 5'000'000;  // more than one piece of a file

/// in.npy is scaled into out, which is compared with out.npy.
constexpr const char* text = R"cuda(/* pattern:
parameters: {WRONG: {default: -1}}
buffers:
  in: {type: float, length: 5000000, init: {file: in.npy}}
  out: {type: float, length: 5000000}
launch: {grid: 19532, block: 256}
useful: {read: 20000000}
verify: {out: {file: out.npy, tolerance: {ulps: 1}}}
*/
__global__ void kernel(float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= 5000000) return;
  out[i] = in[i] * 0.1f + (i == WRONG || i == WRONG + 1 ? i - WRONG + 1 : 0);
  in[i] = -1;
}
)cuda";

struct Files {
  Files() {
    std::vector<float> in;
    std::vector<float> out;
    for (int i = 0; i < elements; ++i) {
      in.push_back(static_cast<float>(i));
      out.push_back(static_cast<float>(i / 10.0));
    }
    folder.write("in.npy", npy("'<f4'", "(5000000,)", bytes_in(in)));
    folder.write("out.npy", npy("'<f4'", "(5000, 1000)", bytes_in(out)));
  }
  Workload workload(std::int64_t wrong) const {
    return compiled_workload("kernel", text, integers({{"WRONG", wrong}}), folder.path());
  }

  TemporaryFolder folder;
};

std::string result_of(Backend& backend, const Workload& workload) {
  const auto execution = backend.prepare(workload, {});
  execution->initialise();
  execution->launch();
  std::string result = execution->verify().value_or("correct");
  // Samples work on copies of the buffers.
  if (result == "correct") execution->sample(CacheState::cold, 2);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_data_suite, *boost::unit_test::precondition(has_gpu))

BOOST_FIXTURE_TEST_CASE(buffers_are_filled_from_files_and_results_compared_with_them, Files) {
  const auto backend = make_cuda_backend(first_gpu());
  BOOST_TEST(result_of(*backend, workload(-5)) == "correct");
  // Once more, since the kernel writes to its input.
  BOOST_TEST(result_of(*backend, workload(-5)) == "correct");
  BOOST_TEST(
      result_of(*backend, workload(1000)) ==
      "wrong result: 2 of 5,000,000 elements of 'out' fail the check out[i] == out.npy to "
      "within ulps: 1; the first is i = 1000: 101, expected 100, off by 1 (131,072 ulps); the "
      "worst is i = 1001: 102.0999984741211, expected 100.0999984741211, off by 2 (262,144 "
      "ulps)");
}

BOOST_FIXTURE_TEST_CASE(a_file_that_changed_fails_the_configuration, Files) {
  const auto backend = make_cuda_backend(first_gpu());
  const Workload before = workload(-5);
  BOOST_TEST(result_of(*backend, before) == "correct");
  folder.write("in.npy", "");
  BOOST_CHECK_EXCEPTION(backend->prepare(before, {}), ExecutionFailure,
                        [](const ExecutionFailure& failure) {
                          return contains(failure.what(), "was written after the pattern was read");
                        });
  BOOST_TEST(backend->usable());
}

BOOST_AUTO_TEST_CASE(values_are_compared_within_a_tolerance) {
  const std::string before =
      "/* pattern:\nbuffers: {out: {type: half, length: 1000}}\nlaunch: {grid: 1, block: 1000}\n"
      "useful: {write: 2000}\nverify: {out: {equals: 0.1 * i, tolerance: {";
  const std::string after =
      "}}}\n*/\n__global__ void kernel(half* out) { out[threadIdx.x] = __float2half(0.1f * "
      "threadIdx.x); }\n";
  const auto backend = make_cuda_backend(first_gpu());
  const auto outcome = [&](const std::string& tolerance) {
    return result_of(*backend, compiled_workload("kernel", before + tolerance + after));
  };
  BOOST_TEST(outcome("ulps: 1") == "correct");
  BOOST_TEST(outcome("length: 1") == "correct");
  BOOST_TEST(contains(outcome("relative: 1e-6"),
                      "; the first is i = 1: 0.0999755859375, expected "
                      "0.1, off by 2.44141e-05 where 1e-07 is allowed"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gpu_data
