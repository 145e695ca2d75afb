#include "engine/recording/read_recording.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/recording/json_entries.h"
#include "engine/recording/kernel_tuner_reader.h"
#include "engine/recording/recording_limits.h"
#include "engine/recording/store_reader.h"
#include "engine/recording/t4_reader.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

/// What every SQLite database begins with.
constexpr std::string_view database_header = "SQLite format 3";

bool is_database(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(database_header.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
         begin == database_header;
}

Recording read_json(std::string_view text, const std::string& name) {
  constexpr std::array<std::string_view, 2> lists = {"cache", "results"};
  const std::string list = first_member(text, lists);
  if (list == "cache") return read_kernel_tuner_cache(text, name);
  if (list == "results") return read_t4(text, name);
  try {
    read_json_entries(text, "", [](const std::string& /*key*/, const RecordedJson& /*entry*/) {});
  } catch (const JsonError& error) {
    throw FileError(describe(error, name), false);
  }
  throw FileError(fmt::format("{}: this JSON has neither 'results', as the T4 format has, nor a "
                              "'cache', as Kernel Tuner's files have",
                              name),
                  false);
}

}  // namespace

Recording read_recording(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  if (is_database(path)) return read_store(path, run);
  const std::string name = path.string();
  if (run) {
    throw FileError(fmt::format("{}: only a results database has runs to choose from", name),
                    false);
  }
  const std::string text = read_bounded(path, recording_limits::file_bytes, "a recording");
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos || text[first] != '{') {
    throw FileError(fmt::format("{}: this is neither a results database nor JSON results", name),
                    false);
  }
  return read_json(text, name);
}

}  // namespace sweep
