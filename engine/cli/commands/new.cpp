#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/new_files.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/shared_options.h"
#include "engine/spec/pattern_header.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

struct NewFile {
  fs::path folder;
  bool may_replace = false;
};

/// Writes NAME.ENDING into the folder. Throws CommandError when it is there and may not be
/// replaced.
fs::path write_new_file(const NewFile& where, const std::string& file, const std::string& text) {
  if (!where.folder.empty()) make_output_folder(where.folder);
  const fs::path path = where.folder / file;
  std::error_code error;
  if (!where.may_replace && fs::exists(path, error)) {
    throw CommandError(exit_cannot_create,
                       fmt::format("{} is there already; --force replaces it", path.string()));
  }
  write_output_file(path, text);
  return path;
}

void say_next(const fs::path& path, const std::string& commands) {
  std::cerr << fmt::format("{} is written. Next:\n{}", path.string(), commands);
}

void write_pattern(const std::string& given, const NewFile& where) {
  const std::string name = given.ends_with(".cu") ? given.substr(0, given.size() - 3) : given;
  const std::string_view reason = why_not_a_name(name);
  if (!reason.empty()) {
    throw UsageError(
        fmt::format("a pattern cannot be called '{}': its kernel has the same name, and this {}",
                    name, reason));
  }
  const fs::path path = write_new_file(where, name + ".cu", new_pattern_text(name));
  const std::string file = shell_quoted({path.string()});
  say_next(path, fmt::format("  sweep check --run {0}\n  sweep explain {0}\n"
                             "  sweep new sweep {0}\n",
                             file));
}

void write_sweep(const std::string& given, const GivenFolders& folders, const NewFile& where) {
  const PatternPtr pattern = find_pattern(given, folders);
  const fs::path path = write_new_file(where, pattern->name + ".yaml", new_sweep_text(pattern));
  // The pattern is found beside the sweep, and where the program looks without being told.
  std::vector<std::string> words = {path.string()};
  if (fs::path(given).extension() == ".cu") {
    const fs::path folder = pattern->path.parent_path();
    std::error_code error;
    const bool is_beside = fs::equivalent(folder.empty() ? "." : folder,
                                          where.folder.empty() ? "." : where.folder, error);
    if (!is_beside)
      words.insert(words.end(), {"--patterns", folder.empty() ? "." : folder.string()});
  } else {
    for (const std::string& folder : folders.patterns)
      words.insert(words.end(), {"--patterns", folder});
  }
  say_next(path, fmt::format("  sweep check {0}\n  sweep run {0}\n", shell_quoted(words)));
}

}  // namespace

CommandLine new_line() {
  CommandLine line("sweep new [OPTIONS] pattern|sweep NAME",
                   "Writes a commented file to start from, which runs as it is: NAME.cu with a\n"
                   "pattern of that name, or NAME.yaml with a sweep of the pattern NAME, which\n"
                   "may be a file too.");
  line.option("output,o", "DIR", "the folder to write into, in the place of the current one");
  line.flag("force", "replace a file that is there");
  add_patterns_option(line);
  line.operands({"pattern|sweep", "NAME"}, 2,
                "a new what? for example: sweep new pattern halves, or sweep new sweep stride");
  return line;
}

int new_command(const GivenOptions& given) {
  const std::vector<std::string>& what = given.operands();
  const NewFile where = {given.text("output"), given.has("force")};
  if (what[0] == "pattern") {
    write_pattern(what[1], where);
  } else if (what[0] == "sweep") {
    write_sweep(what[1], given_folders(given), where);
  } else {
    throw UsageError(fmt::format("cannot begin a '{}'; write pattern or sweep", what[0]));
  }
  return exit_done;
}

}  // namespace sweep
