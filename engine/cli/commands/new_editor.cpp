#include "engine/cli/commands/new_editor.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "engine/cli/commands.h"
#include "engine/cli/options/output.h"
#include "engine/cli/options/sources.h"
#include "engine/jit/prelude.h"
#include "engine/jit/translation_unit.h"
#include "engine/spec/keys.h"
#include "engine/spec/pattern_header.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/characters.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view hidden_folder = ".sweep";
constexpr std::string_view first_line =
    "# Written by 'sweep new' for clangd, which reads patterns by it as sweep does.\n";
/// No pattern has this name.
constexpr std::string_view common_name = "for-all.cuh";
constexpr std::string_view fragment_end = "---\n";

std::string in_quotes(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 2) text.insert(at, "'");
  return '\'' + text + '\'';
}

/// What matches a file of the folder in .clangd.
std::string expression_for(const fs::path& file) {
  std::string expression;
  for (const char c : file.generic_string()) {
    if (!is_word(c) && c != '/' && c != '-') expression += '\\';
    expression += c;
  }
  return in_quotes(expression);
}

/// The pattern's own file and the headers of its folder that it includes, which know its
/// parameters.
std::vector<std::string> files_of_pattern(const fs::path& folder, const Pattern& pattern) {
  std::vector<std::string> files = {expression_for(pattern.path.filename())};
  for (const IncludedFile& file : pattern.included.files) {
    const std::string ending = fs::path(file.written).extension().string();
    std::error_code error;
    if (ending == ".cu" || leads_out(file.written) || !fs::exists(folder / file.written, error))
      continue;
    files.push_back(expression_for(file.written));
  }
  return files;
}

/// The folder's fragments of .clangd by pattern, as far as sweep wrote them.
std::map<std::string, std::string> known_fragments(const fs::path& folder,
                                                   const std::string& text) {
  std::map<std::string, std::string> fragments;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view fragment = rest.substr(0, rest.find(fragment_end));
    rest.remove_prefix(std::min(rest.size(), fragment.size() + fragment_end.size()));
    if (!fragment.starts_with("# ") || fragment.starts_with(first_line)) continue;
    const std::string name(fragment.substr(2, fragment.find('\n') - 2));
    std::error_code error;
    if (fs::exists(folder / (name + ".cu"), error)) fragments[name] = fragment;
  }
  return fragments;
}

/// A pattern's fragment; a header that another pattern's has already knows that one's parameters.
std::string fragment_of(const fs::path& folder, const Pattern& pattern,
                        const std::map<std::string, std::string>& others) {
  std::vector<std::string> files = files_of_pattern(folder, pattern);
  std::erase_if(files, [&](const std::string& file) {
    return std::ranges::any_of(others, [&](const auto& other) {
      return other.first != pattern.name && other.second.find(file) != std::string::npos;
    });
  });
  std::vector<std::string> flags = {
      "-include", in_quotes(fmt::format("{}/{}.cuh", hidden_folder, pattern.name))};
  for (const fs::path& include : pattern.include_folders) {
    std::error_code error;
    const fs::path relative =
        fs::weakly_canonical(fs::absolute(include), error)
            .lexically_relative(fs::weakly_canonical(fs::absolute(folder), error));
    flags.push_back(in_quotes("-I" + relative.generic_string()));
  }
  return fmt::format("# {}\nIf: {{PathMatch: [{}]}}\nCompileFlags: {{Add: [{}]}}\n", pattern.name,
                     fmt::join(files, ", "), fmt::join(flags, ", "));
}

/// What the files of all fragments have in common. clang 14 knows the GPUs up to 8.6, and the
/// declarations say 9.0; in constants of one configuration it sees divisions by 0 that are never
/// executed.
std::string shared_fragment(const std::map<std::string, std::string>& fragments) {
  std::vector<std::string_view> files;
  for (const auto& [name, text] : fragments) {
    const std::size_t begin = text.find('[') + 1;
    files.push_back(std::string_view(text).substr(begin, text.find("]}") - begin));
  }
  std::string flags =
      "-xcuda, --cuda-device-only, -nocudainc, -nocudalib, --cuda-gpu-arch=sm_80, -std=c++20,\n"
      "        -Xclang, -fcuda-allow-variadic-functions, -Wno-unknown-warning-option,\n"
      "        -Wno-unknown-cuda-version, -Wno-cuda-compat, -Wno-division-by-zero";
  if (const fs::path toolkit = find_cuda_include("cuda_runtime.h", {}); !toolkit.empty()) {
    for (const fs::path& include : {toolkit, cccl_include(toolkit)}) {
      flags += ",\n        " + in_quotes("-isystem" + include.string());
    }
  }
  return fmt::format(
      "If:\n  PathMatch: [{}]\nCompileFlags:\n  CompilationDatabase: None\n  Add: [{}]\n"
      "Diagnostics: {{UnusedIncludes: None}}\n",
      fmt::join(files, ",\n              "), flags);
}

bool has_header(const fs::path& file) {
  Diagnostics ignored;
  return find_header(read_source(file), ignored).has_value();
}

std::string text_of_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) ? read_source(path)->text : std::string();
}

/// From the folder; where none is beside its sweeps it has to be written.
fs::path schema_path(const fs::path& folder) {
  constexpr std::string_view name = "sweep.schema.json";
  std::error_code error;
  return fs::exists(folder / name, error) ? fs::path(name) : fs::path(hidden_folder) / name;
}

}  // namespace

void write_editor_files(const fs::path& folder, std::span<const PatternPtr> patterns) {
  const fs::path config = (folder / ".clangd").lexically_normal();
  const std::string there = text_of_file(config);
  const bool is_foreign = !there.empty() && !there.starts_with(first_line);
  auto fragments = known_fragments(folder, is_foreign ? std::string() : there);
  make_output_folder(folder / hidden_folder);
  const std::string common(
      std::ranges::find(file_templates(), "clangd", &EmbeddedFile::name)->text);
  write_output_file(folder / hidden_folder / common_name, common + editor_prelude());
  for (const PatternPtr& pattern : patterns) {
    write_output_file(folder / hidden_folder / (pattern->name + ".cuh"),
                      "// Written by sweep for clangd: the parameters' defaults.\n#pragma once\n" +
                          fmt::format("#include \"{}\"\n", common_name) +
                          declarations_of(resolve(pattern, {})));
    fragments[pattern->name] = fragment_of(folder, *pattern, fragments);
  }
  std::string text = shared_fragment(fragments);
  for (const auto& [name, fragment] : fragments) text.append(fragment_end).append(fragment);
  if (is_foreign) {
    std::cerr << fmt::format("{} is not sweep's and stays as it is; for clangd add to it:\n{}{}",
                             config.string(), fragment_end, text);
    return;
  }
  write_output_file(config, std::string(first_line) + text);
  std::cerr << fmt::format("{} and {} are written, for editors with clangd\n", config.string(),
                           (folder / hidden_folder).lexically_normal().string());
}

void write_editor_files_of(const fs::path& path, const std::vector<std::string>& includes) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  std::vector<fs::path> files = {path};
  if (is_folder) {
    files.clear();
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".cu") files.push_back(entry.path());
    }
    std::ranges::sort(files);
  }
  std::vector<PatternPtr> patterns;
  for (const fs::path& file : files) {
    try {
      if (is_folder && !has_header(file)) continue;
      const PatternPtr pattern = find_pattern(file.string(), {{}, includes});
      resolve(pattern, {});  // the defaults may have no value
      patterns.push_back(pattern);
    } catch (const InputError&) {
      if (!is_folder) throw;
      std::cerr << fmt::format("note: {0} has mistakes and is left out: sweep check {0}\n",
                               file.string());
    }
  }
  if (patterns.empty()) {
    throw CommandError(exit_no_input, "{}: there is no pattern (.cu) in this folder",
                       path.string());
  }
  write_editor_files(is_folder                ? path
                     : path.has_parent_path() ? path.parent_path()
                                              : fs::path("."),
                     patterns);
}

std::string sweep_schema_line(const fs::path& folder) {
  return fmt::format("# yaml-language-server: $schema={}\n", schema_path(folder).generic_string());
}

void write_sweep_schema(const fs::path& folder) {
  const fs::path schema = schema_path(folder);
  if (!schema.has_parent_path()) return;
  make_output_folder(folder / schema.parent_path());
  write_output_file(folder / schema, sweep_schema());
}

}  // namespace sweep
