#include "engine/spec/place.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/spec/sweep.h"
#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;
using namespace sweep;

BOOST_AUTO_TEST_SUITE(places)

namespace {

using namespace sweep::testing;

const std::string placed_pattern =
    edited(edited(copy_pattern, "BLOCK: {default: 256}",
                  "BLOCK: 256\n  WHERE: {type: place, default: host}"),
           "init: \"T(i % 101)\"}", "init: \"T(i % 101)\", place: WHERE, peer: N / BLOCK}");

const std::vector<EditCase> mistakes = {
    {"place: WHERE", "place: WHER", "10:55+4 'WHER' is not a place | did you mean 'WHERE'?"},
    {"place: WHERE", "place: pear", "10:55+4 'pear' is not a place | did you mean 'peer'?"},
    {"place: WHERE", "place: N",
     "10:55+1 'N' is not a place | the places are: device, peer, host, host_write_combined, "
     "managed, managed_peer, managed_host, compressed, WHERE"},
    {"place: WHERE", "place: [host]", "10:55+1 'place' must be a single value"},
    {"peer: N / BLOCK", "peer: WHERE",
     "10:68+5 the peer of 'in' must be an integer, but this is a word"},
    {"peer: N / BLOCK", "peer: 0",
     "10:68+1 with the defaults the peer of 'in' is 0, but 1 is the least | T=float N=4096 "
     "BLOCK=256 WHERE=host"},
    {"default: host}", "default: hosts}", "7:33+5 'hosts' is not a place | did you mean 'host'?"},
    {"default: host}", "default: host, min: 1}", "7:3+5 'WHERE' is a place: it has no min or max"},
};

Sweep sweep_of(const std::string& axis) {
  const PatternPtr pattern = good_pattern(placed_pattern);
  return parse_sweep(source_of("pattern: copy\naxes:\n  " + axis + "\n"), "s.yaml",
                     [&](const std::string&, const Location&, Diagnostics&) { return pattern; },
                     {});
}

std::string messages_of(const std::string& axis) {
  try {
    sweep_of(axis);
  } catch (const InputError& error) {
    return messages(error.diagnostics());
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_buffer_lies_on_the_device_unless_its_place_says_otherwise) {
  const PatternPtr pattern = good_pattern(placed_pattern);
  const auto place = [&](std::size_t buffer, const Bindings& given) {
    return to_string(
        pattern->buffers[buffer].place.evaluate(environment_of(resolve(pattern, given))));
  };
  Bindings managed;
  managed.set("WHERE", std::string("managed"));
  BOOST_TEST(place(0, {}) == "host");
  BOOST_TEST(place(0, managed) == "managed");
  BOOST_TEST(place(1, managed) == "device");
}

BOOST_AUTO_TEST_CASE(a_place_may_follow_from_parameters) {
  const PatternPtr pattern =
      good_pattern(edited(placed_pattern, "place: WHERE", "place: \"N > 5 ? 'peer' : WHERE\""));
  const auto place = pattern->buffers[0].place.evaluate(environment_of(resolve(pattern, {})));
  BOOST_TEST(to_string(place) == "peer");
}

BOOST_DATA_TEST_CASE(mistakes_have_their_place, data::make(mistakes), row) {
  BOOST_TEST(pattern_messages(edited(placed_pattern, row.from, row.to)) == row.expected);
}

BOOST_AUTO_TEST_CASE(an_axis_of_places_lists_their_names) {
  const Sweep sweep = sweep_of("WHERE: [device, host_write_combined]");
  BOOST_TEST(to_string(sweep.axes.front().rows[1].front()) == "host_write_combined");
  BOOST_TEST(messages_of("WHERE: [peer, elsewhere]") ==
             "3:17+9 WHERE = elsewhere is not a place | the places are: device, peer, host, "
             "host_write_combined, managed, managed_peer, managed_host, compressed");
  BOOST_TEST(messages_of("WHERE: [peer, peer]") ==
             "3:17+4 the axis 'WHERE' has the value peer twice");
  BOOST_TEST(messages_of("WHERE: {from: 1, to: 2}") ==
             "3:10+1 'WHERE' of the pattern 'copy' is a place, but 1 is an integer");
}

BOOST_AUTO_TEST_CASE(every_place_is_found_by_its_name) {
  for (const std::string_view name : place_names) BOOST_TEST(to_string(*find_place(name)) == name);
  BOOST_TEST(!find_place("elsewhere"));
  BOOST_TEST(is_far(Place::managed_host));
  BOOST_TEST(!is_far(Place::managed));
  BOOST_TEST(!is_far(Place::compressed));
}

BOOST_AUTO_TEST_CASE(a_copy_engine_copies_between_buffers_that_there_are) {
  const auto with = [](const std::string& copy) {
    return pattern_messages(
        edited(copy_pattern, "shared: 0}", "shared: 0, copy_engine: " + copy + "}"));
  };
  BOOST_TEST(with("{from: in, to: out, bytes: N * 4}") == "");
  BOOST_TEST(with("{from: inn, to: out, bytes: N * 4}") ==
             "13:72+3 there is no buffer 'inn' | did you mean 'in'?");
  BOOST_TEST(with("{from: in, to: out, bytes: -1}") ==
             "13:92+2 with the defaults what the copy engine copies is -1, but 0 is the least | "
             "T=float N=4096 "
             "BLOCK=256");
}

BOOST_AUTO_TEST_SUITE_END()
