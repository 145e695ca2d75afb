#pragma once

#include <span>

#include "engine/jit/program_compiler.h"
#include "engine/run/message_bytes.h"

namespace sweep {

// What a compiler process and the process that started it say to each other: a ProgramSource one
// way, an NvrtcResult the other.

Bytes encode(const ProgramSource& source);
Bytes encode(const NvrtcResult& result);

// Decoding throws std::runtime_error for anything that encoding does not give.
ProgramSource decode_program_source(std::span<const std::uint8_t> message);
NvrtcResult decode_nvrtc_result(std::span<const std::uint8_t> message);

}  // namespace sweep
