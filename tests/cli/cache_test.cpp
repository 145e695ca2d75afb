#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "tests/cli/program.h"
#include "tests/jit/cached_programs.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace cache_command_line {

namespace fs = std::filesystem;

struct CacheOnDisk : CachedPrograms {
  using Arguments = std::vector<std::string>;

  /// The cache command with the folder's cache, which other variables may move.
  Outcome cache(const Arguments& words = {}, const Environment& more = {}) const {
    Arguments arguments = {"cache"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    Environment environment = {{"XDG_CACHE_HOME", (folder.path() / "cache").string()}};
    environment.insert(environment.end(), more.begin(), more.end());
    return run_program(arguments, folder.path(), environment);
  }
  /// The value of one line.
  static std::string line_of(const Outcome& outcome, const std::string& name) {
    const std::string text = "\n" + outcome.out;
    const std::size_t begin = text.find("\n" + name + " ");
    if (begin == std::string::npos) return "no such line";
    const std::string line = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    return line.substr(line.find_first_not_of(' ', name.size()));
  }
};

}  // namespace cache_command_line

BOOST_FIXTURE_TEST_SUITE(cache_command_line, cache_command_line::CacheOnDisk)

BOOST_AUTO_TEST_CASE(a_cache_that_is_not_there_is_empty) {
  const Outcome shown = cache();
  BOOST_TEST(shown.code == 0);
  BOOST_TEST(shown.out == "folder          " + settings.folder.string() +
                              "\nprograms        0\nconfigurations  0\nsize            0 B\n"
                              "limit           1 GiB\n");
  const Outcome cleared = cache({"clear"});
  BOOST_TEST(cleared.code == 0);
  BOOST_TEST(cleared.out == "removed 0 B from " + settings.folder.string() + "\n");
  BOOST_TEST(!fs::exists(folder.path() / "cache"));
}

BOOST_AUTO_TEST_CASE(its_contents_are_shown) {
  add({1, 2, 3}, std::string(20'000, 'x'));
  add({4}, std::string(30'000, 'x'));
  for (const fs::path& file : files()) {
    const std::chrono::minutes age(fs::file_size(file) > 30'000 ? 125 : 4);
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
  }
  const Outcome shown = cache({}, {{"SWEEP_CACHE_LIMIT", "256 Mi"}});
  BOOST_TEST(shown.code == 0);
  BOOST_TEST(line_of(shown, "programs") == "2");
  BOOST_TEST(line_of(shown, "configurations") == "4");
  BOOST_TEST(line_of(shown, "size").ends_with(" KiB"), shown.out);
  BOOST_TEST(line_of(shown, "limit") == "256 MiB");
  BOOST_TEST(line_of(shown, "oldest use") == "2 h 5 min ago");
  BOOST_TEST(line_of(shown, "newest use").starts_with("4 min "), shown.out);
}

BOOST_AUTO_TEST_CASE(clearing_removes_what_belongs_to_it_alone) {
  add({1}, "ptx");
  const fs::path notes = folder.write("cache/sweep/notes.txt", "mine");
  const Outcome cleared = cache({"clear"});
  BOOST_TEST(cleared.code == 0);
  BOOST_TEST(cleared.out.starts_with("removed 1."), cleared.out);
  BOOST_TEST((files() == std::vector<fs::path>{notes}));
  BOOST_TEST(find(1) == "-");
}

BOOST_AUTO_TEST_CASE(without_a_cache_home_it_is_in_the_home) {
  const Environment home = {{"XDG_CACHE_HOME", ""}, {"HOME", folder.path() / "home"}};
  const std::string expected = folder.path() / "home/.cache/sweep";
  BOOST_TEST(line_of(cache({}, home), "folder") == expected);
  const Environment relative = {{"XDG_CACHE_HOME", "here"}, {"HOME", folder.path() / "home"}};
  BOOST_TEST(line_of(cache({}, relative), "folder") == expected);
}

BOOST_DATA_TEST_CASE(without_a_home_there_is_no_cache, data::make({"show", "clear"}), action) {
  const Arguments words = action == std::string("clear") ? Arguments{"clear"} : Arguments{};
  for (const char* home : {"", "relative/home"}) {
    const Outcome none = cache(words, {{"XDG_CACHE_HOME", ""}, {"HOME", home}});
    BOOST_TEST(none.code == 0);
    BOOST_TEST(none.out ==
               "there is no cache: neither XDG_CACHE_HOME nor HOME is the path of a folder\n");
  }
}

BOOST_AUTO_TEST_CASE(a_limit_of_0_switches_it_off) {
  const Outcome shown = cache({}, {{"SWEEP_CACHE_LIMIT", "0"}});
  BOOST_TEST(line_of(shown, "limit") == "0 B: the cache is switched off");
}

BOOST_DATA_TEST_CASE(a_limit_that_is_none_is_a_usage_error,
                     data::make({"lots", "-1", "1 MB", "1e9", "99 EiB"}), limit) {
  const Outcome wrong = cache({}, {{"SWEEP_CACHE_LIMIT", limit}});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: SWEEP_CACHE_LIMIT is '" + std::string(limit) +
                              "': give bytes, such as 256 Mi or 2 GiB, or 0 for no cache\n");
}

BOOST_AUTO_TEST_CASE(another_action_is_a_usage_error) {
  const Outcome wrong = cache({"claer"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: cache what? there is no 'claer'; did you mean 'clear'?\n");
  BOOST_TEST(cache({"clear", "all"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_file_in_the_folders_place_is_an_error) {
  folder.write("cache/sweep", "a file");
  for (const Arguments& words : {Arguments{}, Arguments{"clear"}}) {
    const Outcome wrong = cache(words);
    BOOST_TEST(wrong.code == 74);
    BOOST_TEST(wrong.err == "sweep: " + settings.folder.string() + ": Not a directory\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
