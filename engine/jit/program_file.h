#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/spec/pattern.h"
#include "engine/text/byte_sequence.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// Whether the pattern's text and included text hold everything that compiling it reads, the
/// toolkit's headers apart. Not so when its text asks for the date or whether a file is there. May
/// say no without need, since comments and strings count as well.
bool key_is_complete(const Pattern& pattern);

/// What decides how the configurations of a pattern compile, besides their parameters, as one text:
/// the pattern's name, path and source, the files beside it that it includes, and `identity`. Equal
/// keys have equal texts and different keys different ones.
std::string program_key(const Pattern& pattern, std::string_view identity);

/// Parameters as bytes: names, kinds and values, exactly.
std::string parameter_bytes(const Bindings& parameters);

/// The XXH3-128 of some bytes in 32 hexadecimal digits, as a file's name.
std::string hash_name(std::string_view bytes);

/// One configuration of a stored program.
struct StoredConfiguration {
  std::string parameters;  ///< as parameter_bytes gives them
  std::string kernel_entry;
  std::vector<std::string> init_entries;
  std::vector<std::string> check_entries;
  std::string warnings;  ///< as diagnostic_bytes gives them
};

/// What a program's file says of it.
struct ProgramHeader {
  std::string key;              ///< as program_key gives it
  std::int64_t written_ns = 0;  ///< since 1970
  std::vector<StoredConfiguration> configurations;
};

struct StoredProgram {
  ProgramHeader header;
  Program program;
};

/// What the files of programs begin with.
constexpr std::string_view program_file_magic("SWEEPPRG", 8);

/// Files of other versions are not read. Part of every key, so that versions do not meet.
constexpr std::uint32_t program_file_version = 2;

/// The file of a program: magic, version, the XXH3 of what follows, and then header and program.
std::string program_file_bytes(const ProgramHeader& header, const Program& program);

/// Reads an open file. Throws DamagedBytes for one that is not whole or of another version,
/// std::system_error when reading fails.
StoredProgram read_program(int file);

/// Diagnostics as bytes. Places in `source`, or in one equal to it, are stored without its text;
/// those in other sources with the name and text of theirs.
std::string diagnostic_bytes(const Diagnostics& diagnostics, const SourcePtr& source);

/// The same diagnostics again, with places in `source`. Throws DamagedBytes.
Diagnostics diagnostics_of(std::string_view bytes, const SourcePtr& source);

}  // namespace sweep
