#pragma once

#include <span>
#include <string>
#include <variant>

#include "engine/jit/nvrtc.h"
#include "engine/run/message_bytes.h"

namespace sweep {

// What a compiler process and the process that started it say to each other: a ProgramSource one
// way, an NvrtcResult or the message of a LibraryError the other.
using CompileReply = std::variant<NvrtcResult, std::string>;

Bytes encode(const ProgramSource& source);
Bytes encode(const NvrtcResult& result);
Bytes encode_failure(const std::string& message);

// Decoding throws std::runtime_error for anything that encoding does not give.
ProgramSource decode_program_source(std::span<const std::uint8_t> message);
CompileReply decode_compile_reply(std::span<const std::uint8_t> message);

}  // namespace sweep
