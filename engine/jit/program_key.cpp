#include "engine/jit/program_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/jit/byte_sequence.h"
#include "engine/jit/program_file.h"
#include "engine/spec/included_text.h"
#include "engine/text/read_source.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
namespace {

namespace fs = std::filesystem;

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

/// The text that was not read with the pattern but would be by its compiler, if there is some.
bool reads_more(const fs::path& file, const Pattern& pattern) {
  std::error_code error;
  if (!fs::exists(file, error)) return false;
  try {
    return pattern.included_text.find(read_source(file)->text) == std::string::npos;
  } catch (const FileError&) {
    return true;
  }
}

/// Whether each #include in `text` names a file that is read with the pattern, or one elsewhere.
/// `text` may be in comments and strings too: then the answer may be no for no need.
bool includes_are_known(std::string_view text, const Pattern& pattern) {
  constexpr std::string_view word = "include";
  constexpr std::string_view blanks = " \t\\\r\n";
  const fs::path folder = pattern.path.parent_path();
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
    const std::string_view before = text.substr(0, at);
    at += word.size();
    const std::size_t mark = before.find_last_not_of(blanks);
    const bool is_directive = mark != std::string_view::npos &&
                              (before[mark] == '#' || before.substr(0, mark + 1).ends_with("%:"));
    if (!is_directive) continue;
    const std::string_view rest = text.substr(at);
    const std::size_t begin = rest.find_first_not_of(blanks);
    if (begin == std::string_view::npos) continue;
    if (rest[begin] != '<' && rest[begin] != '"') return false;
    const std::size_t end = rest.find(rest[begin] == '<' ? '>' : '"', begin + 1);
    if (end == std::string_view::npos) return false;
    if (reads_more(folder / rest.substr(begin + 1, end - begin - 1), pattern)) return false;
  }
  return true;
}

bool asks_for_more(std::string_view text) {
  constexpr std::array words = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
  return std::ranges::any_of(
      words, [&](const char* name) { return text.find(name) != std::string_view::npos; });
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

bool key_is_complete(const Pattern& pattern) {
  for (const std::string_view text :
       {std::string_view(pattern.source->text), std::string_view(pattern.included_text)}) {
    if (asks_for_more(text) || !includes_are_known(text, pattern)) return false;
  }
  return true;
}

bool included_files_are_unchanged(const Pattern& pattern) {
  return included_text(pattern.path, pattern.body) == pattern.included_text;
}

}  // namespace sweep
