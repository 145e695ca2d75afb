#include <boost/test/unit_test.hpp>

#include "engine/recording/recording.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(recording_lookup)

namespace {

Bindings bindings(std::int64_t a, Value b) {
  Bindings result;
  result.set("A", a);
  result.set("B", std::move(b));
  return result;
}

std::vector<RecordedEntry> entries() {
  std::vector<RecordedEntry> result(3);
  result[0].configuration = bindings(1, std::int64_t{0});
  result[1].configuration = bindings(1, true);
  result[2].configuration = bindings(2, std::string("rows"));
  return result;
}

using Places = std::vector<std::size_t>;

Places find(const RecordingLookup& lookup, const Bindings& configuration) {
  const auto found = lookup.find(configuration);
  return {found.begin(), found.end()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_entries_by_the_chosen_names) {
  const std::vector<RecordedEntry> all = entries();
  const RecordingLookup lookup(all, {"B", "A"});
  BOOST_CHECK(find(lookup, bindings(1, false)) == Places{0});
  BOOST_CHECK(find(lookup, bindings(1, std::int64_t{1})) == Places{1});
  Bindings more = bindings(2, std::string("rows"));
  more.set("C", std::int64_t{7});
  BOOST_CHECK(find(lookup, more) == Places{2});
  BOOST_CHECK(find(lookup, bindings(2, std::string("row"))).empty());
  BOOST_CHECK(find(lookup, {}).empty());
  const RecordingLookup by_one(all, {"A"});
  BOOST_CHECK((find(by_one, bindings(1, false)) == Places{0, 1}));
}

BOOST_AUTO_TEST_CASE(what_has_no_value_is_not_an_empty_word) {
  std::vector<RecordedEntry> all(2);
  all[0].configuration.set("A", std::string());
  all[1].configuration.set("B", std::string("-"));
  const RecordingLookup lookup(all, parameter_names(all));
  BOOST_TEST(lookup.names().size() == 2U);
  BOOST_CHECK(find(lookup, all[0].configuration) == Places{0});
  BOOST_CHECK(find(lookup, all[1].configuration) == Places{1});
}

BOOST_AUTO_TEST_SUITE_END()
