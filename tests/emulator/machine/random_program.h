#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "engine/emulator/machine/launch.h"

namespace sweep::testing {

/// What a random program is made of.
struct Flavour {
  const char* name = "";
  bool has_structure = false;  ///< if, else and loops whose trip counts depend on data
  bool has_jumps = false;      ///< conditional branches forward to anywhere
  bool has_meetings = false;   ///< shuffles, votes, barriers with exchanges through memory
  std::uint32_t length = 12;   ///< statements, about
};

/// A program whose result does not depend on the order in which its threads run.
struct RandomProgram {
  std::string ptx;  ///< with the kernel `k(out)`
  Dim3 grid;
  Dim3 block;
  std::uint64_t out_bytes = 0;
};

/// The number in an environment variable, with which a person asks for more programs or other ones.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

RandomProgram random_program(std::mt19937_64& random, const Flavour& flavour);

}  // namespace sweep::testing
