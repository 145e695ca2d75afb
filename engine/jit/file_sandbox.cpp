#include "engine/jit/file_sandbox.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

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

}  // namespace sweep
