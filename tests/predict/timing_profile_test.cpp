#include "engine/predict/timing_profile.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

namespace data = boost::unit_test::data;

namespace sweep {
namespace timing_profile {

SourcePtr source_of(const std::string& text) {
  return std::make_shared<Source>(Source{"gpu.yaml", text});
}

/// A profile's text with another one in the place of a part of it.
std::string changed(const std::string& part, const std::string& other) {
  TimingProfile profile = read_timing_profile(shipped_profile("h100")).value();
  profile.launch = {1.81, 1.756, 1.864};
  std::string text = times_text(profile);
  const std::size_t at = text.find(part);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), other);
}

struct Mistake {
  std::string part;
  std::string other;
  std::string message;  ///< that the diagnostics have
};

std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
  return stream << mistake.other;
}

const std::vector<Mistake> mistakes = {
    {"  origin: measured\n", "", "origin"},
    {"launch: {value: 1.81, ", "launch: {", "'launch'"},
    {"launch: {value: 1.81, low: 1.756", "launch: {value: 1.81, low: 1.9",
     "'launch' is not between its 'low' and 'high'"},
    {"launch: {value: 1.81", "launch: {value: fast", "a number from 0 to 1e9"},
    {"launch: {value: 1.81", "launch: {value: -1", "a number from 0 to 1e9"},
    {"  launch: {value: 1.81, low: 1.756, high: 1.864}  # us\n", "", "launch"},
    {"  launch: {", "  lunch: {", "lunch"},
    {"launch: {value: 1.81, low: 1.756, high: 1.864}", "launch: 1.81", "launch"},
};

}  // namespace timing_profile

BOOST_AUTO_TEST_SUITE(timing_profile_file)

BOOST_DATA_TEST_CASE(each_shipped_profile_can_be_read, data::make(shipped_profile_names()), name) {
  const auto profile = read_timing_profile(shipped_profile(name));
  BOOST_TEST_REQUIRE(profile.has_value());
  BOOST_TEST(profile->peak_bandwidth.value > 0);
}

BOOST_AUTO_TEST_CASE(what_is_written_reads_back) {
  TimingProfile profile = read_timing_profile(shipped_profile("h100")).value();
  profile.driver = "580.159.04";
  profile.date = "2026-01-31";
  profile.launch.from = "profile-launches and profile-flight";
  const auto again = read_timing_profile(
      timing_profile::source_of("name: H100\ncompute_capability: 9.0\n" + times_text(profile)));
  BOOST_TEST_REQUIRE(again.has_value());
  BOOST_TEST(again->gpu == "H100");
  BOOST_TEST(again->origin == profile.origin);
  BOOST_TEST(again->driver == profile.driver);
  BOOST_TEST(again->date == profile.date);
  for (const TimingKey& key : timing_keys()) {
    BOOST_TEST_CONTEXT(key.name) {
      BOOST_TEST(((*again).*key.constant).value == (profile.*key.constant).value);
      BOOST_TEST(((*again).*key.constant).low == (profile.*key.constant).low);
      BOOST_TEST(((*again).*key.constant).high == (profile.*key.constant).high);
      BOOST_TEST(((*again).*key.constant).from == (profile.*key.constant).from);
    }
  }
}

BOOST_AUTO_TEST_CASE(halves_of_l2_are_for_gpus_that_have_them) {
  for (const std::string& name : shipped_profile_names()) {
    const TimingProfile profile = read_timing_profile(shipped_profile(name)).value();
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST((profile.l2_near_latency > 0) == (name != "rtx4090"));
      BOOST_TEST((profile.l2_far_latency > 0) == (name != "rtx4090"));
      BOOST_TEST(profile.l2_near_latency.high <= profile.l2_far_latency.high);
      const bool is_measured = profile.l2_far_latency.from.starts_with("l2_halves");
      BOOST_TEST(is_measured == (profile.origin == "measured"));
      BOOST_TEST((times_text(profile).find("l2_far_latency") != std::string::npos) ==
                 (name != "rtx4090"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_profile_may_have_sizes_alone) {
  BOOST_TEST(!read_timing_profile(timing_profile::source_of("compute_capability: 9.0\n")));
}

BOOST_DATA_TEST_CASE(each_mistake_is_told_with_its_place, data::make(timing_profile::mistakes),
                     mistake) {
  const auto source =
      timing_profile::source_of(timing_profile::changed(mistake.part, mistake.other));
  try {
    read_timing_profile(source);
    BOOST_ERROR("it was read");
  } catch (const InputError& error) {
    const std::string message = error.what();
    BOOST_TEST(message.find(mistake.message) != std::string::npos, message);
    BOOST_TEST(message.find("gpu.yaml:") != std::string::npos, message);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep
