#include "tests/cuda/gpu_fixture.h"

#include <iostream>
#include <optional>

#include "engine/cuda/cuda_backend.h"
#include "engine/jit/compiler.h"

namespace sweep {
namespace {

const std::optional<Device>& found_gpu() {
  static const std::optional<Device> device = []() -> std::optional<Device> {
    try {
      return cuda_device(0);
    } catch (const DeviceError& error) {
      std::cout << "GPU tests skipped: " << error.what() << std::endl;
      return std::nullopt;
    }
  }();
  return device;
}

}  // namespace

boost::test_tools::assertion_result has_gpu(boost::unit_test::test_unit_id) {
  return found_gpu().has_value();
}

const Device& first_gpu() {
  return *found_gpu();
}

Workload compiled_workload(const std::string& name, const std::string& text, const Bindings& given,
                           const std::filesystem::path& folder) {
  const std::vector<Configuration> one = {resolve(pattern_from_text(name, text, folder), given)};
  static const auto nvrtc = std::make_shared<Nvrtc>();
  const auto outcomes = Compiler(nvrtc, first_gpu().compute_capability).compile(one);
  if (const auto* failure = std::get_if<CompileFailure>(&outcomes.front())) {
    BOOST_FAIL(render(failure->errors));
  }
  return make_workload(one.front(), std::get<CompiledConfiguration>(outcomes.front()));
}

}  // namespace sweep
