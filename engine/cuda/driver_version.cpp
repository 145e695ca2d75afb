#include "engine/cuda/driver_version.h"

#include <array>

#include "engine/loader/dynamic_library.h"

namespace sweep {

std::string installed_driver_version() {
  const auto nvml = DynamicLibrary::open("libnvidia-ml.so.1");
  if (!nvml) return {};
  try {
    auto* init = nvml->function<int()>("nvmlInit_v2");
    auto* version = nvml->function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    auto* shutdown = nvml->function<int()>("nvmlShutdown");
    if (init() != 0) return {};
    std::array<char, 96> text{};
    const bool known = version(text.data(), static_cast<unsigned>(text.size())) == 0;
    shutdown();
    return known ? std::string(text.data()) : std::string();
  } catch (const LibraryError&) {
    return {};  // an NVML without these functions knows no version either
  }
}

}  // namespace sweep
