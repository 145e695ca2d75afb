#include "tests/store/arbitrary_records.h"

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace sweep::testing {
namespace {

std::int64_t arbitrary_integer() {
  return *rc::gen::weightedOneOf<std::int64_t>(
      {{4, rc::gen::arbitrary<std::int64_t>()},
       {1, rc::gen::element(std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max())}});
}

ElementType arbitrary_element_type() {
  const auto names = ElementType::names();
  return ElementType::find(names[*rc::gen::inRange<std::size_t>(0, names.size())]).value();
}

Value arbitrary_value() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return arbitrary_integer();
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return arbitrary_element_type();
    default:
      return arbitrary_tricky_text();
  }
}

Metric arbitrary_metric() {
  const auto names = metric_names();
  const bool known = *rc::gen::arbitrary<bool>();
  return {known ? names[*rc::gen::inRange<std::size_t>(0, names.size())] : arbitrary_bytes(),
          *rc::gen::element(Origin::measured, Origin::hardware, Origin::emulated),
          arbitrary_double()};
}

bool alike(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool alike(const Metric& a, const Metric& b) {
  return a.name == b.name && a.origin == b.origin && alike(a.value, b.value);
}

}  // namespace

std::string arbitrary_bytes() {
  return *rc::gen::string<std::string>();
}

std::string arbitrary_tricky_text() {
  std::string text;
  const int length = *rc::gen::inRange(0, 5);
  for (int i = 0; i < length; ++i) {
    text += *rc::gen::elementOf(std::vector<std::string>{"a", "1", " ", ":", "\n", "\r", "\"", "'",
                                                         ",", "=", "|", "`", "\\", "-", "é",
                                                         "name 1:a", std::string(1, '\0')});
  }
  return text;
}

double arbitrary_double() {
  using Limits = std::numeric_limits<double>;
  return *rc::gen::weightedOneOf<double>(
      {{3, rc::gen::arbitrary<double>()},
       {1, rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                        [](std::uint64_t bits) { return std::bit_cast<double>(bits); })},
       {1, rc::gen::element(0.0, -0.0, 0.1, 1e300, Limits::denorm_min(), Limits::max(),
                            Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                            9007199254740992.0, -9223372036854775808.0)}});
}

Bindings arbitrary_parameters() {
  Bindings parameters;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) parameters.set(arbitrary_tricky_text(), arbitrary_value());
  return parameters;
}

PointKey arbitrary_key() {
  return {arbitrary_tricky_text(), arbitrary_bytes(),       arbitrary_parameters(),
          arbitrary_tricky_text(), arbitrary_tricky_text(), arbitrary_tricky_text()};
}

PointRecord arbitrary_point() {
  PointRecord point;
  point.key = arbitrary_key();
  point.status = *rc::gen::element(PointStatus::ok, PointStatus::failed);
  point.reason = arbitrary_bytes();
  point.stopped_by = arbitrary_tricky_text();
  const int samples = *rc::gen::inRange(0, 10);
  for (int i = 0; i < samples; ++i) {
    point.samples.push_back(
        {arbitrary_double(), arbitrary_double(),
         *rc::gen::element(SampleMark::plain, SampleMark::low_clock, SampleMark::outlier)});
  }
  const int metrics = *rc::gen::inRange(0, 6);
  for (int i = 0; i < metrics; ++i) point.metrics.push_back(arbitrary_metric());
  const int notes = *rc::gen::inRange(0, 3);
  for (int i = 0; i < notes; ++i) point.notes.push_back(arbitrary_tricky_text());
  point.collected_counters = arbitrary_tricky_text();
  return point;
}

namespace {

std::optional<std::int64_t> arbitrary_place() {
  return *rc::gen::arbitrary<bool>() ? std::optional(arbitrary_integer()) : std::nullopt;
}

TunedGroup arbitrary_group() {
  TunedGroup group;
  group.group = arbitrary_parameters();
  group.configurations = arbitrary_integer();
  group.tried = arbitrary_integer();
  group.ended = arbitrary_tricky_text();
  group.winner = arbitrary_place();
  group.why_no_winner = arbitrary_tricky_text();
  group.rounds = *rc::gen::arbitrary<int>();
  group.figure_low = arbitrary_double();
  group.figure = arbitrary_double();
  group.figure_high = arbitrary_double();
  group.default_configuration = arbitrary_place();
  group.why_no_default = arbitrary_tricky_text();
  group.gain_low = arbitrary_double();
  group.gain = arbitrary_double();
  group.gain_high = arbitrary_double();
  return group;
}

bool alike(const TunedGroup& a, const TunedGroup& b) {
  return a.group == b.group && a.configurations == b.configurations && a.tried == b.tried &&
         a.ended == b.ended && a.winner == b.winner && a.why_no_winner == b.why_no_winner &&
         a.rounds == b.rounds && a.default_configuration == b.default_configuration &&
         a.why_no_default == b.why_no_default && alike(a.figure_low, b.figure_low) &&
         alike(a.figure, b.figure) && alike(a.figure_high, b.figure_high) &&
         alike(a.gain_low, b.gain_low) && alike(a.gain, b.gain) && alike(a.gain_high, b.gain_high);
}

}  // namespace

TuningRecord arbitrary_tuning() {
  TuningRecord tuning;
  tuning.metric = arbitrary_tricky_text();
  tuning.origin = *rc::gen::element(Origin::measured, Origin::hardware, Origin::emulated);
  tuning.better = *rc::gen::element(Better::higher, Better::lower, Better::neither);
  tuning.strategy = arbitrary_tricky_text();
  tuning.seed = *rc::gen::arbitrary<std::uint64_t>();
  const int names = *rc::gen::inRange(0, 3);
  for (int i = 0; i < names; ++i) tuning.for_each.push_back(arbitrary_tricky_text());
  const int groups = *rc::gen::inRange(0, 3);
  for (int i = 0; i < groups; ++i) tuning.groups.push_back(arbitrary_group());
  return tuning;
}

bool identical(const TuningRecord& a, const TuningRecord& b) {
  return a.metric == b.metric && a.origin == b.origin && a.better == b.better &&
         a.strategy == b.strategy && a.seed == b.seed && a.for_each == b.for_each &&
         std::ranges::equal(a.groups, b.groups,
                            [](const TunedGroup& x, const TunedGroup& y) { return alike(x, y); });
}

bool identical(const PointRecord& a, const PointRecord& b) {
  return a.key == b.key && a.status == b.status && a.reason == b.reason &&
         a.stopped_by == b.stopped_by && a.notes == b.notes &&
         a.collected_counters == b.collected_counters &&
         std::ranges::equal(a.samples, b.samples,
                            [](const Sample& x, const Sample& y) {
                              return alike(x.seconds, y.seconds) &&
                                     alike(x.sm_clock_hz, y.sm_clock_hz) && x.mark == y.mark;
                            }) &&
         std::ranges::equal(a.metrics, b.metrics,
                            [](const Metric& x, const Metric& y) { return alike(x, y); });
}

}  // namespace sweep::testing
