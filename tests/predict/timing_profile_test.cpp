#include "engine/predict/timing_profile.h"

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"

namespace sweep::timing_profile_test {

SourcePtr source(const std::string& text) {
  return std::make_shared<Source>("gpu.yaml", text);
}

/// The messages about a profile's text.
std::string mistakes(const std::string& text) {
  try {
    read_timing_profile(source(text));
  } catch (const InputError& error) {
    std::string messages;
    for (const Diagnostic& each : error.diagnostics().list()) {
      messages += std::to_string(each.where.line) + ": " + each.message + "\n";
    }
    return messages;
  }
  return {};
}

std::string text_of(const TimingProfile& profile) {
  return "name: " + profile.gpu + "\n" + times_text(profile);
}

TimingProfile some_profile() {
  TimingProfile profile;
  profile.gpu = "Some GPU";
  profile.origin = "measured";
  double figure = 1;
  for (const TimingKey& key : timing_keys()) {
    profile.*key.constant = {figure, figure - 0.5, figure + 0.5, "stride"};
    figure *= 1.5;
  }
  return profile;
}

BOOST_AUTO_TEST_SUITE(timing_profiles)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_again) {
  const TimingProfile profile = some_profile();
  const auto read = read_timing_profile(source(text_of(profile)));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->gpu == "Some GPU");
  for (const TimingKey& key : timing_keys()) {
    const TimingConstant& before = profile.*key.constant;
    const TimingConstant& after = (*read).*key.constant;
    BOOST_TEST(after.value == before.value, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(after.low == before.low, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(after.high == before.high, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(after.from == "stride");
  }
}

BOOST_AUTO_TEST_CASE(sizes_alone_predict_nothing) {
  BOOST_TEST(!read_timing_profile(source("name: x\ncompute_capability: 9.0\n")).has_value());
}

BOOST_AUTO_TEST_CASE(mistakes_are_said_with_their_lines) {
  BOOST_TEST(contains(mistakes("times: 3\n"), "1: "));
  const std::string text = text_of(some_profile());
  const auto with = [&](const std::string& old, const std::string& other) {
    std::string changed = text;
    return mistakes(changed.replace(changed.find(old), old.size(), other));
  };
  BOOST_TEST(contains(with("  clock: {value", "  clok: {value"), "did you mean 'clock'") == false);
  BOOST_TEST(contains(with("  clock: {value", "  clok: {value"), "'clok'"));
  BOOST_TEST(contains(with("low: 0.5", "low: many"), "4: "));
  BOOST_TEST(contains(with("low: 0.5", "low: 2"), "is not between its 'low' and 'high'"));
  BOOST_TEST(contains(with("  origin: measured\n", ""), "needs the key 'origin'"));
}

BOOST_AUTO_TEST_CASE(shipped_profiles_can_be_read) {
  for (const std::string& name : shipped_profile_names()) {
    const auto profile = read_timing_profile(shipped_profile(name));
    BOOST_REQUIRE(profile.has_value());
    BOOST_TEST(!profile->gpu.empty());
  }
  BOOST_TEST((shipped_profile("h300") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::timing_profile_test
