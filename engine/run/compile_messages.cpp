#include "engine/run/compile_messages.h"

namespace sweep {
namespace {

enum class Kind : std::uint8_t { source, result, failure };

}  // namespace

// Naming the members by a structured binding makes one that is missing here an error of the
// compiler. `Of` is the struct, const for writing.

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, SourceHeader>
void fields(Archive& archive, Of& header) {
  auto& [name, text] = header;
  archive(name, text);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, ProgramSource>
void fields(Archive& archive, Of& source) {
  auto& [text, options, name_expressions, headers] = source;
  archive(text, options, name_expressions, headers);
}

template <class Archive, class Of>
requires std::is_same_v<std::remove_const_t<Of>, NvrtcResult>
void fields(Archive& archive, Of& result) {
  auto& [ok, log, ptx, cubin, lowered_names] = result;
  archive(ok, log, ptx, cubin, lowered_names);
}

namespace {

template <class Message>
Bytes encode_as(Kind kind, const Message& message) {
  Bytes bytes;
  MessageWriter write(bytes);
  write(static_cast<std::uint8_t>(kind), message);
  return bytes;
}

template <class Message>
Message decode_as(Kind expected, std::span<const std::uint8_t> bytes) {
  MessageReader read(bytes);
  Kind kind{};
  read.choice(kind, Kind::failure);
  if (kind != expected) throw std::runtime_error("a message of another kind than expected");
  Message message;
  read(message);
  read.end();
  return message;
}

}  // namespace

Bytes encode(const ProgramSource& source) {
  return encode_as(Kind::source, source);
}

Bytes encode(const NvrtcResult& result) {
  return encode_as(Kind::result, result);
}

ProgramSource decode_program_source(std::span<const std::uint8_t> message) {
  return decode_as<ProgramSource>(Kind::source, message);
}

Bytes encode_failure(const std::string& message) {
  return encode_as(Kind::failure, message);
}

CompileReply decode_compile_reply(std::span<const std::uint8_t> message) {
  const bool is_failure =
      !message.empty() && message[0] == static_cast<std::uint8_t>(Kind::failure);
  if (is_failure) return decode_as<std::string>(Kind::failure, message);
  return decode_as<NvrtcResult>(Kind::result, message);
}

}  // namespace sweep
