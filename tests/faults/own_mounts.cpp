#include "tests/faults/own_mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace sweep {
namespace {

void check(int result, const char* call) {
  if (result != 0) throw std::system_error(errno, std::generic_category(), call);
}

/// In a name space of its own for users a process may mount too, if the system lets it have one.
bool become_mounter() {
  if (unshare(CLONE_NEWNS) != 0) {
    const std::string user = std::to_string(geteuid());
    const std::string group = std::to_string(getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user << ' ' << user << " 1";
    std::ofstream("/proc/self/gid_map") << group << ' ' << group << " 1";
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

bool may_mount() {
  static const bool may = [] {
    const bool may_now = become_mounter();
    if (!may_now) BOOST_TEST_MESSAGE("skipped: this process may not mount file systems");
    return may_now;
  }();
  return may;
}

void mount_memory(const std::filesystem::path& folder, const std::string& size) {
  check(mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()), "mount");
}

void resize_memory(const std::filesystem::path& folder, const std::string& size) {
  check(mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT, ("size=" + size).c_str()), "mount");
}

void mount_read_only(const std::filesystem::path& folder) {
  check(mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr), "mount");
  check(mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr),
        "mount");
}

void unmount(const std::filesystem::path& folder) {
  check(umount2(folder.c_str(), MNT_DETACH), "umount");
}

}  // namespace sweep
