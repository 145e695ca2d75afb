#include "engine/jit/program_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
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

constexpr std::size_t preamble_size = 20;
constexpr std::size_t checksum_size = 8;

/// The sizes and checksums of what follows the head.
struct Contents {
  std::uint64_t cubin_size = 0;
  std::uint64_t cubin_checksum = 0;
  std::uint64_t ptx_size = 0;
  std::uint64_t ptx_checksum = 0;
};

struct Head {
  Contents contents;
  ProgramHeader header;
};

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string_view bytes_of(const std::vector<char>& cubin) {
  return {cubin.data(), cubin.size()};
}

void read_all(int file, std::uint64_t offset, std::span<char> wanted) {
  while (!wanted.empty()) {
    const ssize_t got = pread(file, wanted.data(), wanted.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    if (got == 0) throw DamagedBytes("it ends too soon");
    wanted = wanted.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

/// The head, and where the cubin begins.
std::pair<Head, std::uint64_t> read_head(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0) throw std::system_error(errno, std::generic_category());
  const auto file_size = static_cast<std::uint64_t>(status.st_size);
  std::string bytes(preamble_size, '\0');
  read_all(file, 0, bytes);
  if (!bytes.starts_with(program_file_magic)) throw DamagedBytes("it is no program's file");
  ByteReader preamble(std::string_view(bytes).substr(program_file_magic.size()));
  if (preamble.number<std::uint32_t>() != program_file_version) {
    throw DamagedBytes("of another version");
  }
  const auto header_size = preamble.number<std::uint64_t>();
  const std::uint64_t end = preamble_size + header_size;
  const std::uint64_t size = end + checksum_size;
  if (header_size > file_size || size > file_size) throw DamagedBytes("its header is cut off");
  bytes.resize(size);
  read_all(file, preamble_size, std::span(bytes).subspan(preamble_size));
  const std::string_view view = bytes;
  if (ByteReader(view.substr(end)).number<std::uint64_t>() != checksum(view.substr(0, end))) {
    throw DamagedBytes("its header's checksum is wrong");
  }
  ByteReader reader(view.substr(preamble_size, header_size));
  Head head;
  reader(head);
  if (!reader.rest().empty()) throw DamagedBytes("its header is too long");
  const Contents& contents = head.contents;
  if (contents.cubin_size > file_size || contents.ptx_size > file_size ||
      size + contents.cubin_size + contents.ptx_size != file_size) {
    throw DamagedBytes("its size is wrong");
  }
  return {std::move(head), size};
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
  const std::string_view cubin = bytes_of(program.cubin);
  const Contents contents = {cubin.size(), checksum(cubin), program.ptx.size(),
                             checksum(program.ptx)};
  ByteWriter body;
  body(contents, header);
  ByteWriter numbers;
  numbers(program_file_version, std::uint64_t{body.bytes().size()});
  std::string bytes = std::string(program_file_magic) + numbers.bytes() + body.bytes();
  bytes += encode_message(checksum(bytes));
  return bytes.append(cubin).append(program.ptx);
}

ProgramHeader read_program_header(int file) {
  return read_head(file).first.header;
}

StoredProgram read_program(int file) {
  auto [head, begin] = read_head(file);
  StoredProgram stored;
  stored.header = std::move(head.header);
  stored.program.cubin.resize(head.contents.cubin_size);
  read_all(file, begin, stored.program.cubin);
  stored.program.ptx.resize(head.contents.ptx_size);
  read_all(file, begin + head.contents.cubin_size, stored.program.ptx);
  if (checksum(bytes_of(stored.program.cubin)) != head.contents.cubin_checksum ||
      checksum(stored.program.ptx) != head.contents.ptx_checksum) {
    throw DamagedBytes("the program's checksum is wrong");
  }
  return stored;
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
