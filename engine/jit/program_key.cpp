#include "engine/jit/program_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/jit/program_file.h"
#include "engine/text/byte_sequence.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
namespace {

bool asks_for_more(std::string_view text) {
  constexpr std::array words = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
  return std::ranges::any_of(
      words, [&](const char* name) { return text.find(name) != std::string_view::npos; });
}

}  // namespace

bool key_is_complete(const Pattern& pattern) {
  return !asks_for_more(pattern.source->text) && !asks_for_more(pattern.included_text);
}

namespace {

void put(ByteWriter& bytes, const Value& value) {
  bytes.number(static_cast<std::uint8_t>(kind_of(value)));
  switch (kind_of(value)) {
    case ValueKind::integer:
      bytes.number(std::get<std::int64_t>(value));
      break;
    case ValueKind::boolean:
      bytes.number(static_cast<std::uint8_t>(std::get<bool>(value) ? 1 : 0));
      break;
    case ValueKind::element:
      bytes.text(std::get<ElementType>(value).name());
      break;
    case ValueKind::word:
      bytes.text(std::get<std::string>(value));
      break;
  }
}

}  // namespace

std::string program_key(const Pattern& pattern, std::string_view identity) {
  ByteWriter bytes;
  bytes.number(program_file_version);
  bytes.text(pattern.name);
  bytes.text(pattern.path.native());
  bytes.text(pattern.source->name);
  bytes.text(pattern.source->text);
  bytes.text(pattern.included_text);
  for (const IncludeName& name : pattern.included.in_body) bytes.text(name.target);
  for (const IncludedFile& file : pattern.included.files) {
    bytes.text(file.name);
    for (const IncludeName& name : file.names) bytes.text(name.target);
  }
  bytes.text(identity);
  return bytes.take();
}

std::string parameter_bytes(const Bindings& parameters) {
  ByteWriter bytes;
  for (const auto& [name, value] : parameters.entries()) {
    bytes.text(name);
    put(bytes, value);
  }
  return bytes.take();
}

std::string hash_name(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace sweep
