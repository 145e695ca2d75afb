#include "engine/jit/program_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {

constexpr Severity last_choice(Severity /*severity*/) {
  return Severity::note;
}

void serialize(ByteWriter& bytes, const ElementType& type) {
  bytes.text(type.name());
}

namespace {

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// Which source a diagnostic's place is in.
enum class Place : std::uint8_t { nowhere, given_source, other_source };

Place last_choice(Place /*place*/) {
  return Place::other_source;
}

Place place_of(const SourcePtr& source, const SourcePtr& given) {
  if (source == nullptr) return Place::nowhere;
  const bool is_given = source == given || (given != nullptr && source->name == given->name &&
                                            source->text == given->text);
  return is_given ? Place::given_source : Place::other_source;
}

}  // namespace

bool key_is_complete(const Pattern& pattern) {
  constexpr std::array words = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
  return std::ranges::none_of(words, [&](const char* name) {
    return pattern.source->text.find(name) != std::string::npos ||
           pattern.included_text.find(name) != std::string::npos;
  });
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

std::string program_file_bytes(const ProgramHeader& header, const Program& program) {
  ByteWriter contents;
  contents(header, program);
  ByteWriter begin;
  begin(program_file_version, checksum(contents.bytes()));
  return std::string(program_file_magic) + begin.bytes() + contents.bytes();
}

StoredProgram read_program(int file) {
  // Far above what NVRTC makes of the largest batch; nothing larger is read into memory.
  constexpr off_t largest = off_t{1} << 30;
  struct stat status = {};
  if (fstat(file, &status) != 0) throw std::system_error(errno, std::generic_category());
  if (status.st_size > largest) throw DamagedBytes("it is too large");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t size = 0; size < bytes.size();) {
    const ssize_t got =
        pread(file, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    if (got == 0) throw DamagedBytes("it ends too soon");
    size += static_cast<std::size_t>(got);
  }
  if (!bytes.starts_with(program_file_magic)) throw DamagedBytes("it is no program's file");
  ByteReader reader(std::string_view(bytes).substr(program_file_magic.size()));
  if (reader.number<std::uint32_t>() != program_file_version) {
    throw DamagedBytes("of another version");
  }
  const auto expected = reader.number<std::uint64_t>();
  if (checksum(reader.rest()) != expected) throw DamagedBytes("its checksum is wrong");
  return decode_message<StoredProgram>(reader.rest());
}

std::string diagnostic_bytes(const Diagnostics& diagnostics, const SourcePtr& source) {
  ByteWriter bytes;
  bytes(std::uint64_t{diagnostics.list().size()});
  for (const Diagnostic& each : diagnostics.list()) {
    const Location& where = each.where;
    const Place place = place_of(where.source, source);
    bytes(each.severity, place, place == Place::other_source ? *where.source : Source{},
          std::uint64_t{where.line}, std::uint64_t{where.column}, std::uint64_t{where.length},
          where.exact, each.message, each.help);
  }
  return bytes.take();
}

Diagnostics diagnostics_of(std::string_view bytes, const SourcePtr& source) {
  Diagnostics diagnostics;
  ByteReader reader(bytes);
  for (auto left = reader.number<std::uint64_t>(); left > 0; --left) {
    Diagnostic each;
    Location& where = each.where;
    Place place = Place::nowhere;
    Source other;
    reader(each.severity, place, other, where.line, where.column, where.length, where.exact,
           each.message, each.help);
    if (place == Place::given_source) where.source = source;
    if (place == Place::other_source) where.source = std::make_shared<const Source>(other);
    diagnostics.add(std::move(each));
  }
  return diagnostics;
}

}  // namespace sweep
