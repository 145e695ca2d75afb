#pragma once

#include <filesystem>

#include "engine/cli/options/command_line.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// Writes a file whole or not at all: under another name first, then renamed. What writers of it
/// left that were killed is removed. Throws CommandError with the reason.
void write_output_file(const std::filesystem::path& path, const std::string& text);

/// Throws CommandError when files cannot be named after the sweep: their names would be too long,
/// or hold control characters or bytes that are no UTF-8.
void require_file_name(const std::string& sweep_name);

/// Makes a folder and those above it. Throws CommandError with the reason.
void make_output_folder(const std::filesystem::path& folder);

/// Adds --output FILE and -o.
void add_output_option(CommandLine& line, const char* help = "write to a file, not to stdout");
/// The file that --output names; nothing without it. Throws UsageError for an empty name.
std::optional<std::filesystem::path> given_output(const GivenOptions& given);

/// Whether a name stands for a device or a pipe, such as /dev/null or the shell's >(command).
bool is_stream(const std::filesystem::path& path);

/// The folder that services name files from: that of the repository in a job of GitHub or GitLab,
/// else the current one.
std::filesystem::path repository_root();

/// What --format github gives: annotations on standard output, and a summary in Markdown that goes
/// to the file, without one to that of $GITHUB_STEP_SUMMARY, else to standard output too. Throws
/// CommandError.
void write_for_github(std::span<const Diagnostic> annotations, std::string_view title,
                      const std::string& summary,
                      const std::optional<std::filesystem::path>& output = std::nullopt);

/// Gives a command's text to the file, whole or not at all, or to standard output
/// without one. What is a stream gets the text and stays what it is. Throws CommandError.
void write_result(const std::optional<std::filesystem::path>& output, const std::string& text);

}  // namespace sweep
