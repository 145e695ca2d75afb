#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "engine/jit/program_cache.h"
#include "tests/jit/cached_programs.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace program_cache_damage {

namespace fs = std::filesystem;

/// One small program's file.
struct OneFile : CachedPrograms {
  fs::path path;
  std::string whole;

  OneFile() {
    ProgramCache(settings).add(strides({1, 2}), compiled(2, program("ptx", 40)), identity);
    BOOST_REQUIRE(files().size() == 1U);
    path = files().front();
    whole = read_text_file(path);
  }

  /// Each place near the file's beginning, and every fourth after that.
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> result;
    for (std::size_t place = 0; place < whole.size(); place += place < 64 ? 1 : 4) {
      result.push_back(place);
    }
    result.push_back(whole.size() - 1);
    return result;
  }
  void put(const std::string& bytes) const {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  /// What is found, of the first and the second configuration, after the file got these bytes.
  std::string found_in(const std::string& bytes) const {
    put(bytes);
    ProgramCache cache(settings);
    return find(cache, 1) + " " + find(cache, 2);
  }
};

}  // namespace program_cache_damage

BOOST_FIXTURE_TEST_SUITE(program_cache_damage, program_cache_damage::OneFile)

BOOST_AUTO_TEST_CASE(the_whole_file_is_found) {
  BOOST_TEST(found_in(whole) == "ptx ptx");
  BOOST_TEST(fs::exists(path));
}

BOOST_AUTO_TEST_CASE(a_file_cut_off_anywhere_is_ignored_and_removed) {
  for (const std::size_t size : places()) {
    BOOST_TEST(found_in(whole.substr(0, size)) == "- -", "cut to " << size);
    BOOST_TEST(!fs::exists(path), "cut to " << size);
  }
}

BOOST_AUTO_TEST_CASE(a_file_with_one_wrong_byte_is_ignored) {
  for (const std::size_t place : places()) {
    std::string wrong = whole;
    wrong[place] = static_cast<char>(wrong[place] ^ (1 << place % 8));
    BOOST_TEST(found_in(wrong) == "- -", "byte " << place);
    // Without the mark it may be somebody else's.
    BOOST_TEST(fs::exists(path) == (place < 8), "byte " << place);
  }
}

BOOST_AUTO_TEST_CASE(a_torn_or_patched_file_is_ignored) {
  check_property(
      [&] {
        std::string wrong = whole;
        const auto begin = *rc::gen::inRange<std::size_t>(0, whole.size());
        const auto end = *rc::gen::inRange<std::size_t>(begin, whole.size() + 1);
        const std::string patch = *rc::gen::arbitrary<std::string>();
        wrong.replace(begin, end - begin, patch);
        const bool is_same = wrong == whole;
        RC_ASSERT(found_in(wrong) == (is_same ? "ptx ptx" : "- -"));
      },
      300);
}

BOOST_AUTO_TEST_CASE(what_a_power_cut_leaves_is_removed) {
  BOOST_TEST(found_in(std::string(whole.size(), '\0')) == "- -");
  BOOST_TEST(!fs::exists(path));
  BOOST_TEST(found_in("") == "- -");
  BOOST_TEST(!fs::exists(path));
}

BOOST_AUTO_TEST_CASE(a_foreign_file_is_left_alone) {
  BOOST_TEST(found_in("somebody's notes, longer than a mark") == "- -");
  BOOST_TEST(fs::exists(path));
}

BOOST_AUTO_TEST_CASE(a_file_with_another_groups_key_is_not_found_there) {
  const fs::path here = path;
  pattern = pattern_named("strided", "// other\n");
  add({1, 2}, "other");
  const auto all = files();
  const fs::path other = all[0] == here ? all[1] : all[0];
  fs::copy_file(here, other.parent_path() / here.filename(), fs::copy_options::overwrite_existing);
  BOOST_TEST(find(1) == "-");
  BOOST_TEST(fs::exists(here));
}

BOOST_AUTO_TEST_CASE(a_file_damaged_after_it_was_indexed_is_not_found) {
  ProgramCache cache(settings);
  BOOST_TEST(find(cache, 3) == "-");
  std::string wrong = whole;
  wrong.back() = '!';
  put(wrong);
  BOOST_TEST(find(cache, 1) == "-");
  BOOST_TEST(cache.problem().find("had a damaged file") != std::string::npos, cache.problem());
  cache.add(strides({1}), compiled(1, program("new")), identity);
  BOOST_TEST(find(cache, 1) == "new");
}

BOOST_AUTO_TEST_CASE(a_file_replaced_after_it_was_indexed_gives_what_it_has_now) {
  ProgramCache cache(settings);
  BOOST_TEST(find(cache, 3) == "-");
  {
    auto outcomes = compiled(3, program("replaced"));
    ProgramCache(settings).add(strides({7, 2, 8}), outcomes, identity);
  }
  for (const fs::path& file : files()) {
    if (file != path) fs::rename(file, path);
  }
  BOOST_TEST(find(cache, 2) == "replaced");
  BOOST_TEST(find(cache, 1) == "-");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
