#include "tests/emulator/shipped/emulated_points.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/jit/compiler.h"
#include "engine/run/workload.h"
#include "tests/nvrtc_fixture.h"

namespace sweep {
namespace {

EmulatedPoint emulate_one(EmulatorBackend& backend, const Workload& workload) {
  EmulatedPoint point;
  try {
    const auto execution = backend.prepare(workload, {});
    execution->initialise();
    execution->launch();
    point.verdict = execution->verify().value_or("correct");
    for (const Metric& metric : execution->observe().metrics) {
      point.metrics[metric.name] = metric.value;
    }
  } catch (const ExecutionFailure& failure) {
    point.verdict = failure.what();
  }
  return point;
}

/// The same configurations are compiled once for all models that take the same code.
const std::vector<CompileOutcome>& compiled(std::span<const Configuration> configurations,
                                            int compute_capability) {
  static std::map<std::string, std::vector<CompileOutcome>> known;
  std::string key = std::to_string(compute_capability);
  for (const Configuration& configuration : configurations) key += '\n' + to_string(configuration);
  auto found = known.find(key);
  if (found == known.end()) {
    const Compiler compiler(nvrtc(), compute_capability);
    found = known.emplace(std::move(key), compiler.compile(configurations)).first;
  }
  return found->second;
}

}  // namespace

std::vector<EmulatedPoint> emulate(std::span<const Configuration> configurations,
                                   const EmulatorSettings& settings) {
  EmulatorBackend backend(settings);
  const int oldest = nvrtc()->architectures().front();
  const std::vector<CompileOutcome>& outcomes =
      compiled(configurations, std::max(settings.model.compute_capability, oldest));
  std::vector<EmulatedPoint> points;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
      EmulatedPoint point;
      point.verdict = render(failure->errors);
      points.push_back(std::move(point));
      continue;
    }
    const Workload workload =
        make_workload(configurations[i], std::get<CompiledConfiguration>(outcomes[i]));
    points.push_back(emulate_one(backend, workload));
  }
  return points;
}

void check_all_correct(std::span<const Configuration> configurations,
                       const EmulatorSettings& settings) {
  const std::vector<EmulatedPoint> points = emulate(configurations, settings);
  BOOST_TEST(!points.empty());
  for (std::size_t i = 0; i < points.size(); ++i) {
    BOOST_TEST_INFO(to_string(configurations[i]));
    BOOST_TEST(points[i].verdict == "correct");
  }
}

}  // namespace sweep
