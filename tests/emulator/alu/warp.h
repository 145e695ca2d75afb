#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/emulator/alu/alu.h"

/// Runs register operations on a block of registers of its own, for tests.
namespace sweep::testing {

using Lanes = std::array<std::uint64_t, warp_size>;

/// The contents of the registers of an operation; a predicate is 0 or 1 in each lane.
struct Registers {
  Lanes d{}, d2{}, a{}, b{}, c{}, e{};

  bool operator==(const Registers&) const = default;
};

/// "add.rn.f32" as `find_alu_operation` takes it.
AluOperation find(Simd simd, std::string_view instruction);

/// The registers after `operation`; those that it does not have are left alone.
Registers run(const AluOperation& operation, const Registers& before,
              std::uint32_t mask = full_mask);

/// The result of one lane, the others being given the same sources.
std::uint64_t result_of(std::string_view instruction, std::uint64_t a, std::uint64_t b = 0,
                        std::uint64_t c = 0, std::uint64_t e = 0);

/// Both results of one lane.
struct TwoResults {
  std::uint64_t d = 0;
  std::uint64_t d2 = 0;

  bool operator==(const TwoResults&) const = default;
};
TwoResults results_of(std::string_view instruction, std::uint64_t a, std::uint64_t b = 0,
                      std::uint64_t c = 0, std::uint64_t e = 0);

/// The levels that this machine can run, the baseline first.
std::vector<Simd> levels();

/// Numbers that break things: zeros, ones, ends of ranges and special floating-point values at
/// every width; random ones of every magnitude otherwise.
std::uint64_t interesting(std::mt19937_64& random);
/// Random registers, with small numbers in some so that shifts and fields are in range.
Registers interesting_registers(std::mt19937_64& random);

}  // namespace sweep::testing
