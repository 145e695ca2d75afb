#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/emulator/hardware/outcome.h"

namespace sweep::testing {

/// What a configuration did on the hardware.
struct GoldenRow {
  Counts counts{};
  std::string hashes;  ///< as hashes_of gives them
};

/// The rows stand under their configuration's text.
struct GoldenFile {
  std::string device;
  std::string compiler;  ///< "NVRTC 13.0"
  std::vector<std::pair<std::string, GoldenRow>> rows;
};

void write_golden_file(const std::string& path, const GoldenFile& file);
/// Throws std::runtime_error for a file that is not there or not of this form.
GoldenFile read_golden_file(const std::string& path);

}  // namespace sweep::testing
