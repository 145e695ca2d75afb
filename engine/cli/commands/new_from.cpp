#include "engine/cli/commands/new_from.h"

#include <algorithm>
#include <set>

#include "engine/cli/options/sources.h"
#include "engine/spec/host_code.h"
#include "engine/spec/included_files.h"
#include "engine/spec/named_kernel.h"
#include "engine/spec/pattern.h"
#include "engine/spec/pattern_draft.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// A CUDA file and the files that it includes, as far as they are found.
struct KernelFile {
  SourcePtr source;
  std::string text;  ///< of all of them, the file's own first
};

KernelFile read_kernel_file(const fs::path& path, const std::vector<std::string>& includes) {
  KernelFile file = {read_source(path), {}};
  Diagnostics mistakes;
  if (!check_text(file.source, 0, file.source->text.size(), TextKind::code, mistakes)) {
    throw InputError(mistakes);
  }
  Diagnostics ignored;
  const IncludedFiles included =
      read_included_files(file.source, 0, path, {includes.begin(), includes.end()}, ignored);
  file.text = file.source->text;
  for (const IncludedFile& each : included.files) file.text += "\n" + each.text;
  return file;
}

/// Those that have a body, of equal ones the first.
std::vector<KernelDeclaration> kernels_in(const HostCode& host, std::string_view text) {
  std::vector<KernelDeclaration> kernels;
  std::set<std::string> known;
  for (KernelDeclaration& kernel : find_kernels_in(host.code(), kernel_macros(text))) {
    if (kernel.body.empty() || !known.insert(to_string(kernel)).second) continue;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// A line for each: "template <typename T> reduce(const T* in, T* out)".
std::string list_of_kernels(const std::vector<KernelDeclaration>& kernels) {
  std::string list;
  for (const KernelDeclaration& kernel : kernels) list += "\n  " + to_string(kernel);
  return list;
}

const KernelDeclaration& chosen_kernel(const GivenOptions& given, const SourcePtr& source,
                                       const std::vector<KernelDeclaration>& kernels) {
  if (kernels.empty()) {
    throw InputError({source, 0, 0, 1},
                     "there is no kernel in this file, nor in one that it includes",
                     "a kernel is a __global__ function with its body: name the file that has it");
  }
  const std::string wanted = given.text("kernel");
  if (wanted.empty()) {
    const bool is_one = std::ranges::all_of(
        kernels, [&](const KernelDeclaration& each) { return each.name == kernels.front().name; });
    if (is_one) return kernels.front();
    throw UsageError("{} has {} kernels; say which with --kernel NAME:{}", source->name,
                     kernels.size(), list_of_kernels(kernels));
  }
  const auto found = std::ranges::find(kernels, wanted, &KernelDeclaration::name);
  if (found != kernels.end()) return *found;
  std::vector<std::string> names;
  for (const KernelDeclaration& each : kernels) names.push_back(each.name);
  const std::string meant = did_you_mean(wanted, names);
  throw UsageError("{} has no kernel '{}'; {}", source->name, wanted,
                   meant.empty() ? "its kernels are:" + list_of_kernels(kernels) : meant);
}

/// "." for the current folder, which paths leave out.
fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

DraftedPattern pattern_from_kernel(const GivenOptions& given, const std::string& name) {
  const fs::path path = given.text("from");
  const GivenFolders folders = given_folders(given);
  const KernelFile file = read_kernel_file(path, folders.includes);
  const HostCode host(file.text);
  const std::vector<KernelDeclaration> kernels = kernels_in(host, file.text);
  const KernelDeclaration& kernel = chosen_kernel(given, file.source, kernels);

  DraftedPattern drafted;
  drafted.folder = given.text("output").empty() ? folder_of(path) : fs::path(given.text("output"));
  std::error_code error;
  if (fs::weakly_canonical(drafted.folder / (name + ".cu"), error) ==
      fs::weakly_canonical(path, error)) {
    throw UsageError(
        "{} is the kernel's own file: give the pattern another name, or another folder "
        "with --output",
        path.string());
  }
  const fs::path target = fs::weakly_canonical(fs::absolute(path), error);
  const fs::path folder = fs::weakly_canonical(fs::absolute(drafted.folder), error);
  const std::string include = target.lexically_relative(folder).generic_string();
  drafted.text = draft_pattern({name, include, path.filename().string(), host, kernel});
  if (leads_out(include)) drafted.includes = {folder_of(path).string()};
  drafted.includes.insert(drafted.includes.end(), folders.includes.begin(), folders.includes.end());
  return drafted;
}

std::vector<std::string> kernel_names(const fs::path& file) {
  const std::string text = read_kernel_file(file, {}).text;
  std::vector<std::string> names;
  for (const KernelDeclaration& kernel : kernels_in(HostCode(text), text)) {
    if (!is_among(names, kernel.name)) names.push_back(kernel.name);
  }
  return names;
}

}  // namespace sweep
