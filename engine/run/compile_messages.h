#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/jit/program_compiler.h"

namespace sweep {

// What a compiler process and the process that started it say to each other, as MessagePack: a
// ProgramSource one way, an NvrtcResult the other.

std::vector<std::uint8_t> encode(const ProgramSource& source);
std::vector<std::uint8_t> encode(const NvrtcResult& result);

// Decoding throws a std::exception for anything that encoding does not give.
ProgramSource decode_program_source(std::span<const std::uint8_t> message);
NvrtcResult decode_nvrtc_result(std::span<const std::uint8_t> message);

}  // namespace sweep
