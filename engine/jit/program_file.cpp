#include "engine/jit/program_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {

const std::string_view program_file_magic("SWEEPPRG", 8);

constexpr Severity last_choice(Severity /*severity*/) {
  return Severity::note;
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

/// Reads as many bytes as there are, `wanted.size()` at most.
std::size_t read_some(int file, std::uint64_t offset, std::span<char> wanted) {
  std::size_t size = 0;
  while (size < wanted.size()) {
    const ssize_t got =
        pread(file, wanted.data() + size, wanted.size() - size, static_cast<off_t>(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

void read_all(int file, std::uint64_t offset, std::span<char> wanted) {
  if (read_some(file, offset, wanted) < wanted.size()) throw DamagedBytes("it ends too soon");
}

std::uint64_t size_of(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0) throw std::system_error(errno, std::generic_category());
  return static_cast<std::uint64_t>(status.st_size);
}

/// What the preamble says of the header's size.
std::uint64_t header_size_in(std::string_view bytes) {
  if (!bytes.starts_with(program_file_magic)) throw DamagedBytes("it is no program's file");
  ByteReader reader(bytes.substr(program_file_magic.size()));
  if (reader.number<std::uint32_t>() != program_file_version) {
    throw DamagedBytes("of another version");
  }
  return reader.number<std::uint64_t>();
}

/// The head, and where the cubin begins.
std::pair<Head, std::uint64_t> read_head(int file) {
  // Enough for most headers, so that one call reads them.
  constexpr std::size_t first_read = std::size_t{32} * 1024;
  std::string bytes(first_read, '\0');
  bytes.resize(read_some(file, 0, bytes));
  const std::uint64_t header_size = header_size_in(bytes);
  const std::uint64_t file_size = size_of(file);
  if (header_size > file_size) throw DamagedBytes("its header is cut off");
  const std::uint64_t end = preamble_size + header_size;
  const std::uint64_t size = end + checksum_size;
  if (size > file_size) throw DamagedBytes("its header is cut off");
  const std::size_t have = std::min<std::size_t>(bytes.size(), size);
  bytes.resize(size);
  read_all(file, have, std::span(bytes).subspan(have));
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

enum class Place : std::uint8_t { nowhere, given_source, other_source };

Place last_choice(Place /*place*/) {
  return Place::other_source;
}

struct StoredPlace {
  Place place = Place::nowhere;
  Source other;  ///< of a place in another source
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::uint64_t length = 0;
  bool exact = false;
};

struct StoredDiagnostic {
  Severity severity = Severity::error;
  StoredPlace where;
  std::string message;
  std::string help;
};

StoredPlace stored_place(const Location& where, const SourcePtr& given) {
  StoredPlace place = {Place::nowhere, {}, where.line, where.column, where.length, where.exact};
  if (where.source == nullptr) return place;
  const bool is_given =
      where.source == given ||
      (given != nullptr && where.source->name == given->name && where.source->text == given->text);
  place.place = is_given ? Place::given_source : Place::other_source;
  if (!is_given) place.other = *where.source;
  return place;
}

Location location_of(StoredPlace place, const SourcePtr& given) {
  SourcePtr source;
  if (place.place == Place::given_source) source = given;
  if (place.place == Place::other_source) {
    source = std::make_shared<const Source>(std::move(place.other));
  }
  return {source, place.line, place.column, place.length, place.exact};
}

}  // namespace

std::string program_file_head(const ProgramHeader& header, const Program& program) {
  const Contents contents = {program.cubin.size(), checksum(bytes_of(program.cubin)),
                             program.ptx.size(), checksum(program.ptx)};
  ByteWriter body;
  body(contents, header);
  ByteWriter numbers;
  numbers(program_file_version, std::uint64_t{body.bytes().size()});
  std::string head(program_file_magic);
  head += numbers.bytes();
  head += body.bytes();
  ByteWriter end;
  end(checksum(head));
  return head + end.bytes();
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
  std::vector<StoredDiagnostic> all;
  for (const Diagnostic& each : diagnostics.list()) {
    all.push_back({each.severity, stored_place(each.where, source), each.message, each.help});
  }
  ByteWriter bytes;
  bytes(all);
  return bytes.take();
}

Diagnostics diagnostics_of(std::string_view bytes, const SourcePtr& source) {
  std::vector<StoredDiagnostic> all;
  ByteReader reader(bytes);
  reader(all);
  Diagnostics diagnostics;
  for (StoredDiagnostic& each : all) {
    diagnostics.add({each.severity, location_of(std::move(each.where), source),
                     std::move(each.message), std::move(each.help)});
  }
  return diagnostics;
}

}  // namespace sweep
