#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>

#include "engine/jit/cache_folder.h"
#include "tests/jit/cached_programs.h"
#include "tests/store/child_process.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace program_cache_disk {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Disk : CachedPrograms {
  CacheFolder cache_folder{settings.folder};

  fs::path only_file() const {
    BOOST_REQUIRE(files().size() == 1U);
    return files().front();
  }
  std::string in_sweep(const std::string& what) const {
    return "the cache of compiled programs in " + settings.folder.string() + " " + what;
  }
  static void set_age(const fs::path& file, std::chrono::nanoseconds age) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
  }
  static bool is_younger(const fs::path& file, std::chrono::nanoseconds age) {
    return fs::file_time_type::clock::now() - fs::last_write_time(file) < age;
  }
  /// What an addition in a child process finds wrong, after `prepare`.
  std::string problem_in_child(const std::function<void()>& prepare) const {
    return ChildProcess([&](const auto&) {
             prepare();
             ProgramCache cache(settings);
             cache.add(strides({1}), compiled(1, program("ptx", 100'000)), identity);
             cache.add(strides({2}), compiled(1, program("ptx", 100'000)), identity);
             return cache.problem() + "|" + find(cache, 1);
           })
        .read_all();
  }
};

}  // namespace program_cache_disk

BOOST_FIXTURE_TEST_SUITE(program_cache_disk, program_cache_disk::Disk)

BOOST_AUTO_TEST_CASE(processes_may_write_the_same_at_once) {
  const auto job = [&](std::int64_t first) {
    return [this, first](const ChildProcess::Say&) {
      ProgramCache cache(settings);
      for (std::int64_t i = first; i < first + 60; ++i) {
        const std::string ptx = "ptx of " + std::to_string(i);
        cache.add(strides({i}), compiled(1, program(ptx, 20'000)), identity);
        const std::string found = find(i);
        if (found != ptx) return "found " + found + " for " + ptx;
      }
      return cache.problem();
    };
  };
  std::string said;
  {
    ChildProcess one(job(0));
    ChildProcess other(job(30));
    ChildProcess third(job(0));
    said = one.read_all() + other.read_all() + third.read_all();
  }
  BOOST_TEST(said == "");
  BOOST_TEST(files().size() == 90U);
  for (std::int64_t i = 0; i < 90; ++i) BOOST_TEST(find(i) == "ptx of " + std::to_string(i));
}

BOOST_AUTO_TEST_CASE(a_writer_and_a_cleaner_do_not_harm_each_other) {
  std::string said;
  {
    ChildProcess writer([&](const ChildProcess::Say&) {
      ProgramCache cache(settings);
      for (std::int64_t i = 0; i < 200; ++i) {
        cache.add(strides({i}), compiled(1, program("ptx")), identity);
        find(cache, i / 2);
      }
      return cache.problem();
    });
    ChildProcess cleaner([&](const ChildProcess::Say&) {
      for (int i = 0; i < 200; ++i) cache_folder.clear();
      return std::string();
    });
    said = writer.read_all() + cleaner.read_all();
  }
  BOOST_TEST(said == "");
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_read_only_is_read_and_not_written) {
  add({1}, "kept");
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0555) : fs::perms(0444));
  }
  fs::permissions(folder.path(), fs::perms(0755));
  const std::string problem = problem_in_child(become_unprivileged);
  BOOST_TEST(problem == in_sweep("cannot be written: Permission denied") + "|kept");
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    fs::permissions(entry.path(), fs::perms(0755));
  }
}

BOOST_AUTO_TEST_CASE(files_that_may_not_be_read_are_not_found) {
  add({1}, "kept");
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0755) : fs::perms(0200));
  }
  fs::permissions(folder.path(), fs::perms(0755));
  const std::string problem = problem_in_child(become_unprivileged);
  const fs::path file = only_file();
  BOOST_TEST(problem ==
             in_sweep("has a file that cannot be used, " + file.parent_path().filename().string() +
                      "/" + file.filename().string() + ": Permission denied") +
                 "|-");
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_made_is_no_error) {
  fs::permissions(folder.path(), fs::perms(0555));
  const std::string problem = problem_in_child(become_unprivileged);
  fs::permissions(folder.path(), fs::perms(0755));
  BOOST_TEST(problem == in_sweep("cannot be written: Permission denied") + "|-");
}

BOOST_AUTO_TEST_CASE(a_file_in_the_folders_place_is_no_error) {
  folder.write("cache", "a file");
  BOOST_TEST(problem_in_child([] {}) == in_sweep("cannot be read: Not a directory") + "|-");
}

BOOST_AUTO_TEST_CASE(a_limit_on_the_size_of_files_is_no_error) {
  const std::string problem = problem_in_child([] {
    const rlimit limit = {50'000, 50'000};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  BOOST_TEST(problem == in_sweep("cannot be written: File too large") + "|-");
  BOOST_TEST(files().empty());
}

BOOST_AUTO_TEST_CASE(a_program_is_for_the_user_alone) {
  add({1}, "ptx");
  BOOST_TEST((fs::status(only_file()).permissions() == fs::perms(0600)));
  BOOST_TEST((fs::status(settings.folder).permissions() == fs::perms(0700)));
}

BOOST_AUTO_TEST_CASE(what_was_not_used_for_longest_goes_first) {
  std::vector<fs::path> paths;
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::vector<fs::path> before = files();
    add({i}, std::string(10'000, 'x'));
    std::vector<fs::path> added;
    std::ranges::set_difference(files(), before, std::back_inserter(added));
    paths.push_back(added.at(0));
    // Used in the order 7, 4, 1, 8, 5, 2, 9, 6, 3, 0.
    set_age(added.at(0), minutes(10 + i * 7 % 10));
  }
  std::uint64_t bytes = 0;
  for (const fs::path& path : paths) bytes += fs::file_size(path);
  BOOST_TEST(cache_folder.shrink(bytes) == bytes);
  BOOST_TEST(files().size() == 10U);
  // 90 % of this limit is the room of seven programs.
  const std::uint64_t left = cache_folder.shrink(bytes * 8 / 10);
  BOOST_TEST(left == bytes * 7 / 10);
  for (std::int64_t i = 0; i < 10; ++i) {
    BOOST_TEST(fs::exists(paths[static_cast<std::size_t>(i)]) == (i * 7 % 10 < 7), i);
  }
}

BOOST_AUTO_TEST_CASE(the_limit_is_kept_while_programs_are_added) {
  settings.limit = 200'000;
  ProgramCache cache(settings);
  for (std::int64_t i = 0; i < 100; ++i) {
    cache.add(strides({i}), compiled(1, program("ptx", 10'000)), identity);
    BOOST_TEST(cache_contents(cache_folder).bytes <= settings.limit);
  }
  BOOST_TEST(cache.problem() == "");
  BOOST_TEST(cache_contents(cache_folder).bytes >= settings.limit * 8 / 10);
  BOOST_TEST(find(cache, 99) == "ptx");
}

BOOST_AUTO_TEST_CASE(a_program_larger_than_the_limit_is_not_kept) {
  add({1}, "ptx");
  settings.limit = 10'000;
  ProgramCache cache(settings);
  cache.add(strides({2}), compiled(1, program("ptx", 10'000)), identity);
  BOOST_TEST(find(cache, 1) == "ptx");
  BOOST_TEST(find(cache, 2) == "-");
}

BOOST_AUTO_TEST_CASE(loading_a_program_is_a_use_of_it) {
  add({1}, "ptx");
  set_age(only_file(), hours(2));
  BOOST_TEST(find(2) == "-");
  BOOST_TEST(!is_younger(only_file(), hours(1)));
  BOOST_TEST(find(1) == "ptx");
  BOOST_TEST(is_younger(only_file(), minutes(1)));
  set_age(only_file(), seconds(20));
  BOOST_TEST(find(1) == "ptx");
  BOOST_TEST(!is_younger(only_file(), seconds(15)));
}

BOOST_AUTO_TEST_CASE(what_dead_writers_left_is_removed_after_an_hour) {
  add({1}, "ptx");
  const fs::path group = only_file().parent_path();
  const std::string digits(32, 'a');
  const fs::path old = group / (".part-" + digits);
  const fs::path young = group / (".part-b" + digits.substr(1));
  const fs::path foreign = group / ".part-of-something";
  for (const fs::path& path : {old, young, foreign}) std::ofstream(path) << "SWEEPPRG and so on";
  set_age(old, minutes(61));
  set_age(young, minutes(59));
  set_age(foreign, hours(100));
  add({2}, "ptx");
  BOOST_TEST(!fs::exists(old));
  BOOST_TEST(fs::exists(young));
  BOOST_TEST(fs::exists(foreign));
}

BOOST_AUTO_TEST_CASE(contents_are_counted) {
  add({1, 2, 3}, "ptx");
  add({4}, "ptx");
  folder.write("cache/sweep/notes.txt", "foreign");
  set_age(files().at(0), hours(3));
  const CacheContents contents = cache_contents(cache_folder);
  BOOST_TEST(contents.programs == 2U);
  BOOST_TEST(contents.configurations == 4U);
  BOOST_REQUIRE((contents.oldest_use_ns && contents.newest_use_ns));
  const auto apart = std::chrono::nanoseconds(*contents.newest_use_ns - *contents.oldest_use_ns);
  BOOST_TEST((apart > minutes(179) && apart < minutes(181)));
}

BOOST_AUTO_TEST_CASE(a_cleared_cache_may_be_used_on) {
  ProgramCache cache(settings);
  cache.add(strides({1}), compiled(1, program("ptx")), identity);
  const std::uint64_t size = fs::file_size(only_file());
  BOOST_TEST(cache_folder.clear() == size);
  BOOST_TEST(cache_folder.clear() == 0U);
  BOOST_TEST(fs::is_empty(settings.folder));
  BOOST_TEST(find(cache, 1) == "-");
  cache.add(strides({1}), compiled(1, program("again")), identity);
  BOOST_TEST(find(cache, 1) == "again");
  BOOST_TEST(cache.problem() == "");
}

BOOST_AUTO_TEST_CASE(only_files_of_the_cache_are_cleared_and_no_link_is_followed) {
  add({1}, "ptx");
  const fs::path group = only_file().parent_path();
  const std::string digits(32, '0');
  const std::string name = digits + ".program";
  const fs::path outside = folder.write("outside/" + name, "SWEEPPRG");
  const std::string own = group.lexically_relative(folder.path()).string();
  const std::vector<fs::path> foreign = {
      outside,
      folder.write("cache/sweep/" + name, "SWEEPPRG"),
      folder.write("cache/sweep/programs/" + name, "SWEEPPRG"),
      folder.write(own + "/notes.program", "SWEEPPRG"),
      folder.write(own + "/" + name, "somebody's notes"),
      folder.write(own + "/deeper/" + name, "SWEEPPRG"),
  };
  const fs::path folder_link = settings.folder / digits;
  fs::create_directory_symlink(outside.parent_path(), folder_link);
  const fs::path file_link = group / ("1" + name.substr(1));
  fs::create_symlink(outside, file_link);
  const fs::path pipe = group / ("2" + name.substr(1));
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  cache_folder.clear();
  for (const fs::path& path : foreign) BOOST_TEST(fs::exists(path), path);
  BOOST_TEST(fs::is_symlink(folder_link));
  BOOST_TEST(fs::is_symlink(file_link));
  BOOST_TEST(fs::exists(pipe));
  BOOST_TEST(find(1) == "-");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
