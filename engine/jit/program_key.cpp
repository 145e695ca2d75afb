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

void serialize(ByteWriter& bytes, const ElementType& type) {
  bytes.text(type.name());
}

bool key_is_complete(const Pattern& pattern) {
  return !asks_for_more(pattern.source->text) && !asks_for_more(pattern.included_text);
}

std::string program_key(const Pattern& pattern, std::string_view identity) {
  ByteWriter bytes;
  bytes(program_file_version, pattern.name, pattern.path.native(), pattern.source->name,
        pattern.source->text, pattern.included_text);
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
  for (const auto& [name, value] : parameters.entries()) bytes(name, value);
  return bytes.take();
}

std::string hash_name(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace sweep
