#include <boost/test/unit_test.hpp>

#include "engine/jit/program_cache.h"
#include "tests/jit/cached_programs.h"

namespace sweep::testing {
namespace {
namespace program_keys {}  // namespace program_keys

BOOST_FIXTURE_TEST_SUITE(program_keys, CachedPrograms)

BOOST_AUTO_TEST_CASE(parts_of_the_key_do_not_run_into_each_other) {
  BOOST_TEST(program_key(*pattern, "a") != program_key(*pattern, "b"));
  Pattern one = *pattern;
  one.included_text = "ab";
  Pattern other = *pattern;
  other.included_text = "a";
  BOOST_TEST(program_key(one, "c") != program_key(other, "bc"));
}

BOOST_AUTO_TEST_CASE(names_of_files_are_hexadecimal_digits) {
  BOOST_TEST(hash_name("") == "99aa06d3014798d86001c324468d497f");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
