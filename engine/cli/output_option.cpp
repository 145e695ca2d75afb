#include "engine/cli/output_option.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/output_file.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

void write_to_stream(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::app);
  if (!stream.is_open()) {
    throw CommandError(exit_cannot_create, fmt::format("{}: cannot be opened: {}", path.string(),
                                                       std::strerror(errno)));
  }
  stream << text;
  stream.close();
  if (!stream) {
    throw CommandError(
        exit_io, fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
}

}  // namespace

void add_output_option(CommandLine& line, const char* help) {
  line.options()("output,o", po::value<std::string>()->value_name("FILE"), help);
}

std::optional<fs::path> given_output(const po::variables_map& values) {
  if (values.count("output") == 0) return std::nullopt;
  const auto& name = values["output"].as<std::string>();
  if (name.empty()) throw UsageError("--output: name a file");
  return name;
}

bool is_stream(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // Of these two the shell may have made a file.
  return fs::is_character_file(status) || fs::is_fifo(status) || path == "/dev/stdout" ||
         path == "/dev/stderr";
}

void write_result(const std::optional<fs::path>& output, const std::string& text) {
  if (!output) {
    std::cout << text;
  } else if (is_stream(*output)) {
    write_to_stream(*output, text);
  } else {
    write_output_file(*output, text);
  }
}

}  // namespace sweep
