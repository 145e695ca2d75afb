#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "engine/emulator/cache/device_profile.h"
#include "engine/emulator/count/model.h"

namespace sweep {

/// What the emulator is to be like.
struct EmulatorSettings {
  MemoryModel model;
  DeviceProfile profile;
  /// Executes every block, however many there are.
  bool is_exact = false;
  /// Looks for what hardware lets pass; see Launch::checks_kernel.
  bool checks_kernel = false;
  /// Remembers what the addresses of each access look like.
  bool notes_shapes = false;
  unsigned threads = 1;
  /// Thread instructions up to which a launch is executed whole, and for how many of them blocks
  /// are chosen otherwise.
  std::uint64_t whole_budget = 60'000'000;
  std::uint64_t sample_budget = 400'000;
  /// Warp instructions that a block may execute before it counts as running away.
  std::uint64_t instruction_limit = 100'000'000;
  /// Once it is set a launch ends with an ExecutionFailure; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  /// Where printf's text goes; may be empty.
  std::function<void(const std::string&)> print;
};

}  // namespace sweep
