// Comparing with expected values within a tolerance, and data from files.
#include <bit>
#include <boost/test/data/test_case.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"
#include "tests/numpy_file.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace comparison {
namespace {

constexpr int elements = 1024;

/// A kernel that gives each of 1,024 elements a value.
std::string giving(const std::string& type, const std::string& value, const std::string& verify) {
  return "/* pattern:\nparameters: {K: 1024}\nbuffers: {out: {type: " + type +
         ", length: 1024}}\n"
         "launch: {grid: 4, block: 256}\nuseful: {write: 4}\nverify: {out: {" +
         verify + "}}\n*/\n#include <cmath>\n__global__ void kernel(" + type +
         "* out) {\n  const int i = blockIdx.x * 256 + threadIdx.x;\n  out[i] = " + value +
         ";\n}\n";
}

struct Case {
  const char* type;
  const char* value;
  const char* verify;
  const char* outcome;  ///< what it ends with
  friend std::ostream& operator<<(std::ostream& out, const Case& row) {
    return out << row.type << " " << row.value << " " << row.verify;
  }
};

const Case cases[] = {
    {"float", "i", "equals: i", "correct"},
    {"float", "i == 7 ? 8 : i", "equals: i",
     "1 of 1,024 elements of 'out' fail the check out[i] == i; the first is i = 7: 8, expected 7, "
     "off by 1"},
    {"float", "0.1f * i", "equals: 0.1 * i, tolerance: {relative: 1e-6}", "correct"},
    {"float", "0.1f * i", "equals: 0.1 * i",
     "elements of 'out' fail the check out[i] == 0.1 * i; the first is i = 1: "
     "0.10000000149011612, expected 0.1, off by 1.49012e-09; the worst is i = 642: "
     "64.20000457763672, expected 64.2, off by 4.57764e-06 (1 ulp)"},
    {"float", "i + (i % 2 ? 1e-3f : 2e-3f)", "equals: i, tolerance: {absolute: 0.0015}",
     "512 of 1,024 elements of 'out' fail the check out[i] == i to within absolute: 0.0015; the "
     "first is i = 0: 0.0020000000949949026, expected 0, off by 0.002 where 0.0015 is allowed; the "
     "worst is i = 256: 256.00201416015625, expected 256, off by 0.00201416 (66 ulps) where 0.0015 "
     "is allowed"},
    {"float", "i + 1e-3f", "equals: i, tolerance: {absolute: 2e-3, relative: 0}", "correct"},
    {"float", "i + 1e-3f", "equals: i, tolerance: {absolute: 1e-9, relative: 1e-3}",
     "the first is i = 0: 0.0010000000474974513, expected 0, off by 0.001 where 1e-09 is allowed; "
     "the worst is i = 1: 1.0010000467300415, expected 1, off by 0.00100005 (8,389 ulps) where "
     "0.001 "
     "is allowed"},
    {"float", "nextafterf(i, 1e9f)", "equals: i, tolerance: {ulps: 1}", "correct"},
    {"float", "nextafterf(nextafterf(i, 1e9f), 1e9f)", "equals: i, tolerance: {ulps: 1}",
     "(2 ulps); the worst is i = 512: 512.0001220703125, expected 512, off by 0.00012207 (2 ulps)"},
    {"float", "-0.0f", "equals: 0", "correct"},
    {"double", "i * (1 + 1e-15)", "equals: i, tolerance: {ulps: 10}", "correct"},
    {"half", "__float2half(0.1f * i)", "equals: 0.1f * i, tolerance: {ulps: 1}", "correct"},
    {"half", "__float2half(0.1f * i)", "equals: 0.1f * i, tolerance: {relative: 1e-6}", "allowed"},
    {"bfloat16", "__float2bfloat16(0.1f * i)", "equals: 0.1 * i, tolerance: {relative: 4e-3}",
     "correct"},
    {"half2", "__float2half2_rn(i)", "equals: i, tolerance: {ulps: 0}", "correct"},
    {"float4", "make_float4(i, i, i == 3 ? 5 : i, i)", "equals: splat<float4>(i)",
     "1 of 1,024 elements of 'out' fail the check out[i] == splat<float4>(i); the first is i = 3: "
     "(3, 3, 5, 3), expected (3, 3, 3, 3), off by 2"},
    {"double4_32a", "make_double4_32a(i, i, i == 3 ? 5 : i, i)", "equals: splat<double4_32a>(i)",
     "(3, 3, 5, 3), expected (3, 3, 3, 3), off by 2"},
    {"ulonglong4_16a", "splat<ulonglong4_16a>(i) + splat<ulonglong4_16a>(1)",
     "equals: splat<ulonglong4_16a>(i + 1)", "correct"},
    {"float2", "make_float2(i, i + 1e-4f)", "equals: i, tolerance: {absolute: 1e-3}", "correct"},
    {"int", "i % 100 == 99 ? i - 3 : i", "equals: i, tolerance: {absolute: 2}",
     "10 of 1,024 elements of 'out' fail the check out[i] == i to within absolute: 2; the first is "
     "i = 99: 96, expected 99, off by 3 (3 ulps) where 2 is allowed; none is off by more"},
    {"uint64_t", "0xffffffffffffffff - i",
     "equals: 0xffffffffffffffff, tolerance: {absolute: 1024}", "correct"},
    {"int64_t", "(1ll << 60) + 1", "equals: 1ll << 60", "off by 1 (1 ulp); none is off by more"},
    {"float", "NAN", "equals: NAN", "the first is i = 0: nan, expected nan; none is off by more"},
    {"float", "NAN", "equals: NAN, tolerance: {equal_nan: true}", "correct"},
    {"float", "NAN", "equals: 1, tolerance: {relative: 1, equal_nan: true}",
     "the first is i = 0: nan, expected 1; none is off by more"},
    {"float", "INFINITY", "equals: INFINITY, tolerance: {relative: 1}", "correct"},
    {"float", "1", "equals: INFINITY, tolerance: {relative: 1, ulps: 1000000000000}",
     "the first is i = 0: 1, expected inf; none is off by more"},
    // Twice sqrt(K) roundings are 3.8e-6.
    {"float", "1 + 3e-6f", "equals: 1, tolerance: {length: K}", "correct"},
    {"float", "1 + 5e-6f", "equals: 1, tolerance: {length: K}", "is allowed; none is off by more"},
    {"float", "1e-4f", "equals: 0, tolerance: {length: K, scale: 100}", "correct"},
    {"half", "__float2half(1.02f)", "equals: 1, tolerance: {length: K}", "correct"},
    {"half", "__float2half(1.02f)", "equals: 1, tolerance: {length: K, accumulate: float}",
     "where 0.000492 is allowed; none is off by more"},
    {"int", "i + 1", "equals: i, tolerance: {length: K}", "off by 1 (1 ulp); none is off by more"},
};

/// in.npy is copied to out, which is compared with out.npy.
std::string copying(const std::string& kernel, const std::string& tolerance = "") {
  return "/* pattern:\nparameters: {N: 1024}\nbuffers:\n"
         "  in: {type: float, length: N, init: {file: in.npy}}\n"
         "  out: {type: float, length: N}\n"
         "launch: {grid: N / 256, block: 256}\nuseful: {read: 4}\n"
         "verify: {out: {file: out.npy" +
         tolerance + "}}\n*/\n__global__ void kernel(" + kernel +
         "float* in, float* out) {\n  const int i = blockIdx.x * 256 + threadIdx.x;\n"
         "  out[i] = in[i] * 0.1f;\n" +
         (kernel.empty() ? "  in[i] = -1;\n" : "") + "}\n";
}

struct Files {
  Files() {
    std::vector<float> in;
    std::vector<float> out;
    for (int i = 0; i < elements; ++i) {
      in.push_back(static_cast<float>(i));
      out.push_back(static_cast<float>(i / 10.0));
    }
    folder.write("in.npy", npy("'<f4'", "(1024,)", bytes_in(in)));
    folder.write("out.npy", npy("'<f4'", "(32, 32)", bytes_in(out)));
    out[900] = 91;
    folder.write("wrong.npy", npy("'<f4'", "(1024,)", bytes_in(out)));
    folder.write("odd.npy", npy("'<f4'", "(1024,)", bytes_in(in), 1, "False", 9));
  }
  PatternPtr pattern(std::string text, const char* from = "out.npy",
                     const char* to = "out.npy") const {
    text.replace(text.find(from), std::string_view(from).size(), to);
    return pattern_from_text("kernel", text, folder.path());
  }

  TemporaryFolder folder;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(comparison_suite, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(elements_are_compared_within_a_tolerance, data::make(cases), row) {
  const Emulated result = emulate(giving(row.type, row.value, row.verify));
  BOOST_TEST(result.outcome.ends_with(row.outcome), result.outcome);
}

BOOST_FIXTURE_TEST_CASE(a_buffer_begins_with_what_a_file_has, Files) {
  const std::string within = ", tolerance: {ulps: 1}";
  for (const char* kernel : {"const ", ""}) {
    BOOST_TEST(emulate(pattern(copying(kernel, within))).outcome == "correct");
    BOOST_TEST(emulate(pattern(copying(kernel, within), "out.npy", "wrong.npy")).outcome ==
               "wrong result: 1 of 1,024 elements of 'out' fail the check out[i] == wrong.npy to "
               "within ulps: 1; the first is i = 900: 90, expected 91, off by 1 "
               "(131,072 ulps)");
  }
}

BOOST_FIXTURE_TEST_CASE(what_a_kernel_writes_does_not_reach_the_file, Files) {
  const PatternPtr writing = pattern(copying("", ", tolerance: {ulps: 1}"));
  BOOST_TEST(emulate(writing).outcome == "correct");
  BOOST_TEST(emulate(writing).outcome == "correct");
}

BOOST_FIXTURE_TEST_CASE(an_array_that_begins_anywhere_in_its_file_is_read, Files) {
  const PatternPtr odd = pattern(copying("const ", ", tolerance: {ulps: 1}"), "in.npy", "odd.npy");
  BOOST_TEST(odd->buffers.front().file->bytes.begin % 16 != 0U);
  BOOST_TEST(emulate(odd).outcome == "correct");
}

BOOST_FIXTURE_TEST_CASE(some_of_the_blocks_are_compared_where_they_wrote, Files) {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.whole_budget = 0;
  settings.sample_budget = 1;
  const Emulated result =
      emulate(pattern(copying("const ", ", tolerance: {ulps: 1}")), {}, settings);
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("verified_share") > 0);
}

BOOST_FIXTURE_TEST_CASE(a_configuration_that_needs_another_array_says_so, Files) {
  const PatternPtr copy = pattern(copying("const "));
  Bindings longer;
  longer.set("N", std::int64_t{2048});
  BOOST_CHECK_EXCEPTION(emulated_workload(copy, longer), InputError, [](const InputError& error) {
    return contains(error.what(),
                    "in.npy has 1024 elements of type float, but the buffer 'in' has 2,048 of type "
                    "float");
  });
}

BOOST_FIXTURE_TEST_CASE(a_file_that_changed_fails_the_configuration, Files) {
  const Workload workload = emulated_workload(pattern(copying("const ")), {});
  folder.write("in.npy", "");
  EmulatorBackend backend(emulator_settings(90, 1));
  const auto execution = backend.prepare(workload, {});
  BOOST_CHECK_EXCEPTION(
      execution->initialise(), ExecutionFailure, [](const ExecutionFailure& error) {
        return contains(error.what(), "in.npy: was written after the pattern was read");
      });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace comparison
