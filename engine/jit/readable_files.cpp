#include "engine/jit/readable_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "engine/spec/included_files.h"
#include "engine/system/file_descriptor.h"

namespace sweep {
namespace {

constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/// What the first version of Landlock knows.
constexpr std::uint64_t everything =
    reading | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

void allow(const FileDescriptor& rules, const std::filesystem::path& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = reading;
  rule.parent_fd = opened.get();
  if (syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    fail("landlock_add_rule");
  }
}

}  // namespace

bool has_file_sandbox() {
  static const bool has_it =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
  return has_it;
}

void restrict_thread_to(const std::vector<std::filesystem::path>& folders) {
  if (!has_file_sandbox()) return;
  landlock_ruleset_attr handled = {};
  handled.handled_access_fs = everything;
  const FileDescriptor rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0)));
  if (!rules) fail("landlock_create_ruleset");
  for (const std::filesystem::path& folder : folders) allow(rules, folder);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
  if (syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) fail("landlock_restrict_self");
}

namespace {

/// These headers of the toolkit make the names of what they include out of macros that a pattern
/// can define.
bool has_unnamed_includes(std::string_view name) {
  return name.starts_with("thrust/") || name.starts_with("cub/");
}

std::string why_open(const IncludeSite& site, const std::set<std::string_view>& names) {
  const bool is_named =
      site.kind == IncludeSite::Kind::quoted || site.kind == IncludeSite::Kind::angled;
  if (!is_named) return "it could make the compiler open a file whose name it does not say";
  if (names.contains(site.name)) return {};
  if (leads_out(site.name)) return fmt::format("it includes {} from outside", site.name);
  if (has_unnamed_includes(site.name) && !has_file_sandbox()) {
    return fmt::format(
        "{} includes what macros name, for which this kernel has no sandbox "
        "(Landlock)",
        site.name);
  }
  return {};
}

}  // namespace

std::vector<SourceHeader> source_headers(const Pattern& pattern) {
  std::vector<SourceHeader> headers;
  for (const IncludedFile& file : pattern.included.files) {
    SourceHeader header = {file.name, with_header_names(file.text, 0, file.names)};
    headers.push_back(std::move(header));
  }
  return headers;
}

std::string with_header_names(std::string text, std::size_t offset,
                              const std::vector<IncludeName>& names) {
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (name->offset < offset || name->offset + name->length > offset + text.size()) continue;
    const std::size_t place = name->offset - offset;
    if (text[place] != '"' && text[place] != '<') continue;
    text.replace(place, name->length, '"' + name->target + '"');
  }
  return text;
}

std::string why_open(std::string_view source, const std::vector<SourceHeader>& headers) {
  std::set<std::string_view> names;
  for (const SourceHeader& header : headers) names.insert(header.name);
  std::vector<std::string_view> texts = {source};
  for (const SourceHeader& header : headers) texts.push_back(header.text);
  for (const std::string_view text : texts) {
    for (const IncludeSite& site : find_include_sites(text)) {
      if (std::string reason = why_open(site, names); !reason.empty()) return reason;
    }
  }
  return {};
}

}  // namespace sweep
