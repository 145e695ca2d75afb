// Kernels with one wait, fence, barrier or atomic less than they need: the checks of the emulator
// find each of them, and nothing wrong with the kernels as they are.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <vector>

#include "tests/emulator/execution/copying_kernels.h"
#include "tests/emulator/execution/emulated_pattern.h"
#include "tests/emulator/execution/meeting_kernels.h"
#include "tests/emulator/execution/ordered_kernels.h"

using namespace sweep;

namespace mutants {
namespace {

struct MutableKernel {
  std::string text;                    ///< a pattern; MUTANT chooses the mutation, from 1 on
  std::vector<std::string> mutations;  ///< the lines of the kernel that they change
};

MutableKernel mutable_kernel(const SynchronisedKernel& kernel) {
  MutableKernel result;
  std::string body;
  std::istringstream lines(kernel.body);
  for (std::string line; std::getline(lines, line); body += line + '\n') {
    const std::size_t mark = std::min(line.find("//-"), line.find("//="));
    if (mark == std::string::npos) continue;
    const std::string statement = line.substr(0, mark);
    const std::string other = line[mark + 2] == '=' ? line.substr(mark + 3) : std::string();
    result.mutations.push_back(line);
    line = "if constexpr (MUTANT == " + std::to_string(result.mutations.size()) + ") { " + other +
           " } else { " + statement + " }";
  }
  result.text = pattern_of(kernel, "\nparameters: {MUTANT: 0}", body);
  return result;
}

/// What the emulator's checks say of each mutant, the kernel itself first: "correct" or what is
/// wrong.
std::vector<std::string> outcomes_of(const MutableKernel& kernel) {
  EmulatorSettings settings = emulator_settings(90, 1);
  settings.checks_kernel = true;
  settings.is_exact = true;
  settings.instruction_limit = 1'000'000;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i <= kernel.mutations.size(); ++i) {
    numbers.push_back(static_cast<std::int64_t>(i));
  }
  const std::vector<Configuration> configurations =
      configurations_with(pattern_from_text("kernel", kernel.text), "MUTANT", numbers);
  const auto compiled = Compiler(nvrtc(), 90).compile(configurations);
  EmulatorBackend backend(settings);
  std::vector<std::string> outcomes;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (const auto* failure = std::get_if<CompileFailure>(&compiled[i])) {
      BOOST_FAIL(render(failure->errors));
    }
    try {
      const auto execution = backend.prepare(
          make_workload(configurations[i], std::get<CompiledConfiguration>(compiled[i])), {});
      execution->initialise();
      execution->launch();
      outcomes.push_back(execution->verify().value_or("correct"));
    } catch (const ExecutionFailure& failure) {
      outcomes.emplace_back(failure.what());
    }
  }
  return outcomes;
}

void check_mutants(const SynchronisedKernel& kernel) {
  const MutableKernel all = mutable_kernel(kernel);
  const std::vector<std::string> outcomes = outcomes_of(all);
  BOOST_TEST(outcomes.front() == "correct");
  for (std::size_t i = 0; i < all.mutations.size(); ++i) {
    const std::string& outcome = outcomes[i + 1];
    BOOST_TEST_MESSAGE(all.mutations[i] << "\n    " << outcome);
    BOOST_TEST(outcome != "correct", all.mutations[i]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mutants, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(of_copies_are_found, boost::unit_test::data::make(copying_kernels), kernel) {
  check_mutants(kernel);
}

BOOST_DATA_TEST_CASE(of_meetings_are_found, boost::unit_test::data::make(meeting_kernels), kernel) {
  check_mutants(kernel);
}

BOOST_DATA_TEST_CASE(of_orders_are_found, boost::unit_test::data::make(ordered_kernels), kernel) {
  check_mutants(kernel);
}

BOOST_AUTO_TEST_CASE(are_many) {
  std::size_t count = 0;
  const auto add = [&](const SynchronisedKernel& kernel) {
    count += mutable_kernel(kernel).mutations.size();
  };
  std::ranges::for_each(copying_kernels, add);
  std::ranges::for_each(meeting_kernels, add);
  std::ranges::for_each(ordered_kernels, add);
  BOOST_TEST(count > 110U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace mutants
