#pragma once

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>
#include <vector>

namespace sweep::testing {

/// The bytes of sample_sm_90.hex: the kernel `sample` of sample.cu for sm_90.
inline std::vector<char> sample_cubin() {
  std::ifstream file(SWEEP_SOURCE_DIR "/tests/emulator/cubin/sample_sm_90.hex");
  BOOST_REQUIRE(file.is_open());
  std::vector<char> bytes;
  for (std::string line; std::getline(file, line);) {
    for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
      bytes.push_back(static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16)));
    }
  }
  return bytes;
}

}  // namespace sweep::testing
