#include "engine/recording/read_recording.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/recording/json_entries.h"
#include "engine/recording/kernel_tuner_reader.h"
#include "engine/recording/store_reader.h"
#include "engine/recording/t4_reader.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

/// What every SQLite database begins with.
constexpr std::string_view database_header = "SQLite format 3";

std::ifstream open_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw FileError(fmt::format("{}: no such file", path.string()), true);
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw FileError(fmt::format("{}: this is not a file", path.string()), true);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw FileError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)),
                    false);
  }
  return file;
}

std::string read_bytes(std::ifstream& file, const std::filesystem::path& path, std::size_t count) {
  std::string text(count, '\0');
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(count));
  if (file.bad()) throw FileError(fmt::format("{}: cannot be read", path.string()), false);
  text.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  return text;
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
  std::ifstream file = open_file(path);
  if (read_bytes(file, path, database_header.size()) == database_header) {
    return read_store(path, run);
  }
  const std::string name = path.string();
  if (run) {
    throw FileError(fmt::format("{}: only a results database has runs to choose from", name),
                    false);
  }
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const std::string text = read_bytes(file, path, error ? 0 : static_cast<std::size_t>(size));
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos || text[first] != '{') {
    throw FileError(fmt::format("{}: this is neither a results database nor JSON results", name),
                    false);
  }
  return read_json(text, name);
}

}  // namespace sweep
