#include "engine/store/point_key.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
namespace {

void append(std::string& text, std::string_view name, std::string_view part) {
  text += fmt::format("{} {}:{}\n", name, part.size(), part);
}

std::string_view tag(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer:
      return "integer";
    case ValueKind::boolean:
      return "boolean";
    case ValueKind::element:
      return "element";
    case ValueKind::word:
      break;
  }
  return "word";
}

}  // namespace

std::string key_text(const PointKey& key) {
  std::string text = "point 1\n";
  append(text, "pattern", key.pattern_name);
  append(text, "text", key.pattern_text);
  append(text, "parameters", std::to_string(key.parameters.entries().size()));
  for (const auto& [name, value] : key.parameters.entries()) {
    append(text, "name", name);
    append(text, tag(kind_of(value)), to_string(value));
  }
  append(text, "measure", key.measure);
  append(text, "device", key.device);
  append(text, "compiler", key.compiler);
  return text;
}

std::string key_hash(const PointKey& key) {
  const std::string text = key_text(key);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace sweep
