// What a reference leaves on the emulator, and what is compared with it.
#include <boost/test/data/test_case.hpp>

#include "engine/emulator/execution/emulated_reference.h"
#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"
#include "tests/referenced_pattern.h"

using namespace sweep;
using namespace sweep::testing;
namespace data = boost::unit_test::data;

namespace emulated_reference {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

EmulatorSettings sampling() {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.whole_budget = 0;
  settings.sample_budget = 2'000;
  return settings;
}

constexpr const char* wrong_element =
    " fail the check out[i] == the reference's out; the first is i = 7: 43, expected 42, "
    "off by 1 (1 ulp)";

struct EditedCase {
  const char* from;
  const char* to;
  std::int64_t n;
  const char* outcome;
  friend std::ostream& operator<<(std::ostream& out, const EditedCase& one) {
    return out << one.to;
  }
};

/// Kernels that are called right, or wrong, after all of their blocks and after some.
const EditedCase cases[] = {
    {"WRONG: -1", "WRONG: -1", 1 << 16, "correct"},
    // One whose blocks meet, so that all are executed.
    {"if (i < n) out[i] = in[i] + in[i];",
     "if (i < n) out[i] = in[i] + in[i];\n  out[1] = 2 * in[1];", 1 << 14, "correct"},
    // Whose warps, or blocks, are executed whole.
    {"if (i < n) out[i] = in[i] + in[i];",
     "const int other = __shfl_xor_sync(~0u, in[i], 1);\n"
     "  out[i] = in[i] + __shfl_xor_sync(~0u, other, 1);",
     1 << 16, "correct"},
    {"if (i < n) out[i] = in[i] + in[i];",
     "__shared__ int values[32];\n  values[31 - threadIdx.x] = in[i];\n  __syncthreads();\n"
     "  out[i] = in[i] + values[31 - threadIdx.x];",
     1 << 16, "correct"},
    // A thread's elements lie apart.
    {"if (i < n) out[i] = in[i] + in[i];",
     "if (i < n / 4)\n    for (int k = i; k < n; k += n / 4) out[k] = 2 * in[k];", 1 << 16,
     "correct"},
    // In place, which must not be done twice.
    {"if (i < n) out[i] = in[i] + in[i];", "if (i < n) { out[i] += 1; out[i] += 1 + 2 * in[i]; }",
     1 << 16, "correct"},
    // By two dimensions, each block a part of two rows.
    {"grid: \"ceil_div(N, 32)\", block: 32}", "grid: [N / 1024, 32], block: [16, 2]}", 1 << 16,
     "correct"},
    {"if (i < n)", "if (in[-1] == 1) n = 0;\n  if (i < n)", 256,
     "the reference: block (0, 0, 0), thread (0, 0, 0): out of bounds: "},
    {"block: 32}", "block: 2048}", 256,
     "the reference: bad launch: the block's size is 2048, the device takes at most 1024"},
};

std::string text_of(const EditedCase& one) {
  std::string text = replaced(referenced_pattern, one.from, one.to);
  if (contains(text, "grid: [N / 1024, 32]")) {
    text = replaced(text, "N: 256", "N: 4096");
    text = replaced(text, "const int i = blockIdx.x * 32 + threadIdx.x;",
                    "const int i = (blockIdx.y * 2 + threadIdx.y) * (n / 64) + blockIdx.x * 16 + "
                    "threadIdx.x;");
  }
  if (contains(text, "out[i] += 1;")) {
    text =
        replaced(text, "out: {type: int, length: N}", "out: {type: int, length: N, init: \"-2\"}");
  }
  return text;
}

}  // namespace
}  // namespace emulated_reference

BOOST_AUTO_TEST_SUITE(emulated_reference_suite, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(what_is_right_is_called_right, data::make(emulated_reference::cases), one) {
  using namespace emulated_reference;
  const Bindings given = integers({{"N", one.n}});
  for (const EmulatorSettings& settings : {emulator_settings(90, 2), sampling()}) {
    const Emulated result = emulate(text_of(one), given, settings);
    BOOST_TEST(contains(result.outcome, one.outcome), result.outcome);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_element_is_shown_with_both_values) {
  using namespace emulated_reference;
  const Bindings given = integers({{"N", 1 << 16}, {"WRONG", 7}});
  BOOST_TEST(emulate(referenced_pattern, given).outcome ==
             std::string("wrong result: 1 of 65,536 elements of 'out'") + wrong_element);
  const Emulated some = emulate(referenced_pattern, given, sampling());
  BOOST_TEST(
      contains(some.outcome, "elements of 'out' that were judged" + std::string(wrong_element)),
      some.outcome);
}

BOOST_AUTO_TEST_CASE(only_what_is_compared_is_computed) {
  using namespace emulated_reference;
  // All of it would be too much.
  const Bindings given = integers({{"N", 1 << 29}});
  const Emulated some = emulate(referenced_pattern, given, sampling());
  BOOST_TEST(some.outcome == "correct");
  BOOST_TEST(some.metrics.at("verified_share") > 0);
}

BOOST_AUTO_TEST_CASE(what_is_too_much_is_not_compared_and_says_so) {
  using namespace emulated_reference;
  const std::string text = replaced(referenced_pattern, "if (i < n) out[i] = in[i] + in[i];",
                                    "if (i < n) out[i] = in[i] + in[i];\n  out[0] = 2 * in[0];");
  const Emulated result = emulate(text, integers({{"N", 1 << 29}}), sampling());
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("verified_share") == 0);
  BOOST_TEST(contains(result.notes.back(),
                      "not compared with the reference, which comes to more "
                      "than 4 billion thread instructions"));
}

BOOST_AUTO_TEST_CASE(equal_inputs_have_one_reference) {
  LoadedPrograms programs;
  const EmulatorSettings settings = emulator_settings(90, 1);
  const auto reference = [&](std::int64_t block, std::int64_t n) {
    const Workload workload =
        emulated_workload(referenced_pattern, integers({{"BLOCK", block}, {"N", n}}));
    return programs.reference(workload.reference, settings);
  };
  const auto first = reference(32, 256);
  BOOST_TEST(reference(64, 256) == first);
  BOOST_TEST(reference(64, 512) != first);
  BOOST_TEST(reference(128, 256) == first);
}

BOOST_AUTO_TEST_SUITE_END()
