#include "engine/cuda/driver_version.h"

#include <array>

#include "engine/cuda/nvml.h"

namespace sweep {

std::string installed_driver_version() {
  const Nvml* nvml = Nvml::get();
  if (nvml == nullptr || nvml->driver_version == nullptr) return {};
  std::array<char, 96> text{};
  const int result = nvml->driver_version(text.data(), static_cast<unsigned>(text.size()));
  return result == Nvml::success ? std::string(text.data()) : std::string();
}

}  // namespace sweep
