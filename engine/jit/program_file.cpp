#include "engine/jit/program_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>

#include "engine/text/byte_sequence.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {

const std::string_view program_file_magic("SWEEPPRG", 8);

namespace {

constexpr std::size_t preamble_size = 24;
constexpr std::size_t checksum_size = 8;

struct Preamble {
  std::uint32_t configurations = 0;
  std::uint64_t header_size = 0;
};

/// The sizes and checksums of what follows the header.
struct Contents {
  std::uint64_t cubin_size = 0;
  std::uint64_t cubin_checksum = 0;
  std::uint64_t ptx_size = 0;
  std::uint64_t ptx_checksum = 0;
};

struct Head {
  ProgramHeader header;
  Contents contents;
  std::uint64_t size = 0;  ///< where the cubin begins
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

Preamble read_preamble(std::string_view bytes) {
  if (!bytes.starts_with(program_file_magic)) throw DamagedBytes("it is no program's file");
  ByteReader reader(bytes.substr(program_file_magic.size()));
  if (reader.number<std::uint32_t>() != program_file_version)
    throw DamagedBytes("of another version");
  Preamble preamble;
  preamble.configurations = reader.number<std::uint32_t>();
  preamble.header_size = reader.number<std::uint64_t>();
  return preamble;
}

void put(ByteWriter& bytes, const std::vector<std::string>& texts) {
  bytes.number(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) bytes.text(text);
}

std::vector<std::string> get_texts(ByteReader& bytes) {
  std::vector<std::string> texts;
  for (auto left = bytes.number<std::uint32_t>(); left > 0; --left) {
    texts.emplace_back(bytes.text());
  }
  return texts;
}

/// The different warnings of the configurations: most often all have the same.
std::vector<std::string> distinct_warnings(const std::vector<StoredConfiguration>& all) {
  std::vector<std::string> distinct;
  for (const StoredConfiguration& configuration : all) {
    if (std::ranges::find(distinct, configuration.warnings) == distinct.end()) {
      distinct.push_back(configuration.warnings);
    }
  }
  return distinct;
}

std::string header_bytes(const ProgramHeader& header, const Contents& contents) {
  ByteWriter bytes;
  bytes.number(header.written_ns);
  bytes.number(contents.cubin_size);
  bytes.number(contents.cubin_checksum);
  bytes.number(contents.ptx_size);
  bytes.number(contents.ptx_checksum);
  bytes.text(header.key);
  const std::vector<std::string> warnings = distinct_warnings(header.configurations);
  put(bytes, warnings);
  for (const StoredConfiguration& configuration : header.configurations) {
    bytes.text(configuration.parameters);
    bytes.text(configuration.kernel_entry);
    put(bytes, configuration.init_entries);
    put(bytes, configuration.check_entries);
    const auto place = std::ranges::find(warnings, configuration.warnings) - warnings.begin();
    bytes.number(static_cast<std::uint32_t>(place));
  }
  return bytes.take();
}

StoredConfiguration get_configuration(ByteReader& bytes, const std::vector<std::string>& warnings) {
  StoredConfiguration configuration;
  configuration.parameters = bytes.text();
  configuration.kernel_entry = bytes.text();
  configuration.init_entries = get_texts(bytes);
  configuration.check_entries = get_texts(bytes);
  const auto place = bytes.number<std::uint32_t>();
  if (place >= warnings.size()) throw DamagedBytes("a configuration's warnings are missing");
  configuration.warnings = warnings[place];
  return configuration;
}

Head parse_head(std::string_view bytes, const Preamble& preamble) {
  Head head;
  head.size = bytes.size();
  ByteReader reader(bytes.substr(preamble_size, preamble.header_size));
  head.header.written_ns = reader.number<std::int64_t>();
  head.contents.cubin_size = reader.number<std::uint64_t>();
  head.contents.cubin_checksum = reader.number<std::uint64_t>();
  head.contents.ptx_size = reader.number<std::uint64_t>();
  head.contents.ptx_checksum = reader.number<std::uint64_t>();
  head.header.key = reader.text();
  const std::vector<std::string> warnings = get_texts(reader);
  for (std::uint32_t i = 0; i < preamble.configurations; ++i) {
    head.header.configurations.push_back(get_configuration(reader, warnings));
  }
  if (!reader.rest().empty()) throw DamagedBytes("its header is too long");
  return head;
}

Head read_head(int file) {
  // Enough for most headers, so that one call reads them.
  constexpr std::size_t first_read = std::size_t{32} * 1024;
  std::string bytes(first_read, '\0');
  bytes.resize(read_some(file, 0, bytes));
  const Preamble preamble = read_preamble(bytes);
  const std::uint64_t file_size = size_of(file);
  if (preamble.header_size > file_size) throw DamagedBytes("its header is cut off");
  const std::uint64_t size = preamble_size + preamble.header_size + checksum_size;
  if (size > file_size) throw DamagedBytes("its header is cut off");
  const std::size_t have = std::min<std::size_t>(bytes.size(), size);
  bytes.resize(size);
  read_all(file, have, std::span(bytes).subspan(have));
  ByteReader end(std::string_view(bytes).substr(size - checksum_size));
  if (end.number<std::uint64_t>() !=
      checksum(std::string_view(bytes).substr(0, size - checksum_size))) {
    throw DamagedBytes("its header's checksum is wrong");
  }
  Head head = parse_head(bytes, preamble);
  const Contents& contents = head.contents;
  if (contents.cubin_size > file_size || contents.ptx_size > file_size ||
      size + contents.cubin_size + contents.ptx_size != file_size) {
    throw DamagedBytes("its size is wrong");
  }
  return head;
}

}  // namespace

std::string program_file_head(const ProgramHeader& header, const Program& program) {
  const Contents contents = {program.cubin.size(), checksum(bytes_of(program.cubin)),
                             program.ptx.size(), checksum(program.ptx)};
  const std::string body = header_bytes(header, contents);
  ByteWriter numbers;
  numbers.number(program_file_version);
  numbers.number(static_cast<std::uint32_t>(header.configurations.size()));
  numbers.number(std::uint64_t{body.size()});
  std::string head(program_file_magic);
  head += numbers.bytes();
  head += body;
  ByteWriter end;
  end.number(checksum(head));
  return head + end.bytes();
}

std::uint32_t read_configuration_count(int file) {
  std::string bytes(preamble_size, '\0');
  read_all(file, 0, bytes);
  return read_preamble(bytes).configurations;
}

ProgramHeader read_program_header(int file) {
  return read_head(file).header;
}

StoredProgram read_program(int file) {
  Head head = read_head(file);
  StoredProgram stored;
  stored.header = std::move(head.header);
  stored.program.cubin.resize(head.contents.cubin_size);
  read_all(file, head.size, stored.program.cubin);
  stored.program.ptx.resize(head.contents.ptx_size);
  read_all(file, head.size + head.contents.cubin_size, stored.program.ptx);
  if (checksum(bytes_of(stored.program.cubin)) != head.contents.cubin_checksum ||
      checksum(stored.program.ptx) != head.contents.ptx_checksum) {
    throw DamagedBytes("the program's checksum is wrong");
  }
  return stored;
}

namespace {

enum class Place : std::uint8_t { nowhere, given_source, other_source };

Place place_of(const SourcePtr& where, const SourcePtr& source) {
  if (where == nullptr) return Place::nowhere;
  const bool is_given = where == source || (source != nullptr && where->name == source->name &&
                                            where->text == source->text);
  return is_given ? Place::given_source : Place::other_source;
}

void put(ByteWriter& bytes, const Location& where, const SourcePtr& source) {
  const Place place = place_of(where.source, source);
  bytes.number(static_cast<std::uint8_t>(place));
  if (place == Place::other_source) {
    bytes.text(where.source->name);
    bytes.text(where.source->text);
  }
  bytes.number(std::uint64_t{where.line});
  bytes.number(std::uint64_t{where.column});
  bytes.number(std::uint64_t{where.length});
  bytes.number(static_cast<std::uint8_t>(where.exact ? 1 : 0));
}

SourcePtr get_source(ByteReader& bytes, const SourcePtr& source) {
  switch (static_cast<Place>(bytes.number<std::uint8_t>())) {
    case Place::nowhere:
      return nullptr;
    case Place::given_source:
      return source;
    case Place::other_source: {
      std::string name(bytes.text());
      std::string text(bytes.text());
      return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
    }
  }
  throw DamagedBytes("a place is of no known kind");
}

Location get_location(ByteReader& bytes, const SourcePtr& source) {
  Location where;
  where.source = get_source(bytes, source);
  where.line = bytes.number<std::uint64_t>();
  where.column = bytes.number<std::uint64_t>();
  where.length = bytes.number<std::uint64_t>();
  where.exact = bytes.number<std::uint8_t>() != 0;
  return where;
}

Severity get_severity(ByteReader& bytes) {
  const auto severity = static_cast<Severity>(bytes.number<std::uint8_t>());
  switch (severity) {
    case Severity::error:
    case Severity::warning:
    case Severity::note:
      return severity;
  }
  throw DamagedBytes("a message is of no known severity");
}

}  // namespace

std::string diagnostic_bytes(const Diagnostics& diagnostics, const SourcePtr& source) {
  ByteWriter bytes;
  bytes.number(std::uint64_t{diagnostics.list().size()});
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    bytes.number(static_cast<std::uint8_t>(diagnostic.severity));
    put(bytes, diagnostic.where, source);
    bytes.text(diagnostic.message);
    bytes.text(diagnostic.help);
  }
  return bytes.take();
}

Diagnostics diagnostics_of(std::string_view text, const SourcePtr& source) {
  ByteReader bytes(text);
  Diagnostics diagnostics;
  for (auto left = bytes.number<std::uint64_t>(); left > 0; --left) {
    Diagnostic diagnostic;
    diagnostic.severity = get_severity(bytes);
    diagnostic.where = get_location(bytes, source);
    diagnostic.message = bytes.text();
    diagnostic.help = bytes.text();
    diagnostics.add(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace sweep
