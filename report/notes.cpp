#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

/// Beyond this share differences between points may be the machine's.
constexpr double alarming_drift = 0.01;
constexpr std::size_t most_notes_shown = 20;

/// The configuration's telling parameters in brackets; empty when its point is not there.
std::string describe_configuration(const RunResults& results, std::int64_t ordinal) {
  const auto found = std::ranges::find(results.points, ordinal, &StoredPoint::ordinal);
  if (found == results.points.end()) return {};
  const std::vector<const PointRecord*> points = records_of(results.points);
  return " (" + describe(found->point, telling_parameters(parameters_of(points))) + ")";
}

/// ", clock 1980 to 1700 MHz, 45 to 72 °C": from the first time to the last, as far as known.
std::string describe_conditions(const AnchorRecord& first, const AnchorRecord& last) {
  const auto range = [](const char* before, double from, double to, const char* unit) {
    if (from <= 0 || to <= 0) return std::string();
    return fmt::format(", {}{:.0f} to {:.0f} {}", before, from, to, unit);
  };
  return range("clock ", first.sm_clock_hz / 1e6, last.sm_clock_hz / 1e6, "MHz") +
         range("", first.temperature_celsius, last.temperature_celsius, "°C");
}

/// How far one anchor configuration's times lie apart.
RunNote describe_drift(const RunResults& results, const std::vector<AnchorRecord>& anchors) {
  const auto [fastest, slowest] = std::ranges::minmax_element(anchors, {}, &AnchorRecord::seconds);
  const AnchorRecord& first = anchors.front();
  const AnchorRecord& last = anchors.back();
  const std::string times = format_figure(fastest->seconds * 1e6) + " us to " +
                            format_figure(slowest->seconds * 1e6) + " us";
  const double drift = slowest->seconds / fastest->seconds - 1;
  std::string found = fmt::format("drifted by {:.1f} %: {}", drift * 100, times);
  bool is_concern = drift >= alarming_drift;
  if (std::ranges::any_of(anchors, [](const auto& each) { return !(each.seconds_high > 0); })) {
    found = "took " + times + ", of too few samples to tell drift from noise";
    is_concern = true;
  } else if (slowest->seconds_low <= fastest->seconds_high) {
    found = "did not drift: its times, " + times + ", are the same";
    is_concern = false;
  }
  return {fmt::format("the anchor configuration{}, measured {} times within {}, {}{}",
                      describe_configuration(results, first.ordinal), anchors.size(),
                      format_duration(last.at - first.at), found, describe_conditions(first, last)),
          is_concern};
}

void add_drift(const RunResults& results, std::vector<RunNote>& notes) {
  std::map<std::int64_t, std::vector<AnchorRecord>> by_configuration;
  for (const AnchorRecord& anchor : results.run.anchors) {
    if (std::isfinite(anchor.seconds) && anchor.seconds > 0) {
      by_configuration[anchor.ordinal].push_back(anchor);
    }
  }
  for (const auto& [ordinal, anchors] : by_configuration) {
    if (anchors.size() > 1) notes.push_back(describe_drift(results, anchors));
  }
}

/// "1.003 (0.998 to 1.007) times as long as"
std::string describe_ratio(const DeviceRatio& of) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f}) times as long as", of.ratio, of.low, of.high);
}

/// How several devices shared the points, and how far they are alike.
void add_devices(const RunResults& results, std::vector<RunNote>& notes) {
  const std::vector<DeviceRecord>& devices = results.run.devices;
  if (devices.empty()) return;
  std::map<int, std::size_t> points;
  for (const StoredPoint& stored : results.points) {
    if (const auto device = results.run.device_of(stored.point)) ++points[*device];
  }
  std::vector<std::string> shares;
  for (const DeviceRecord& device : devices) {
    shares.push_back(
        fmt::format("{} on GPU {}", format_thousands(points[device.index]), device.index));
  }
  notes.push_back({fmt::format("of {} {} were measured", count_of(results.points.size(), "point"),
                               in_words(shares)),
                   false});
  std::vector<std::string> ratios;
  std::vector<std::string> couplings;
  for (const DeviceRecord& device : devices) {
    if (device.to_first.ratio > 0 && &device != &devices.front()) {
      ratios.push_back(fmt::format("GPU {} takes {} GPU {}", device.index,
                                   describe_ratio(device.to_first), devices.front().index));
    }
    if (device.to_alone.ratio > 0) {
      couplings.push_back(
          fmt::format("GPU {} takes {} alone", device.index, describe_ratio(device.to_alone)));
    }
  }
  const double spread = device_spread(devices);
  notes.push_back(
      {ratios.empty()
           ? fmt::format("the GPUs were not compared with each other: figures of two of them count "
                         "as the same up to {:.1f} %",
                         spread * 100)
           : fmt::format(
                 "by common points {}: figures of two GPUs count as the same up to {:.2f} %",
                 in_words(ratios), spread * 100),
       spread >= alarming_drift});
  if (!couplings.empty()) {
    notes.push_back({"while all of them measure, " + in_words(couplings), false});
  }
}

void add_stops(const RunResults& results, std::vector<RunNote>& notes) {
  std::map<std::string, std::size_t> reasons;
  std::size_t early = 0;
  for (const StoredPoint& stored : results.points) {
    const std::string& reason = stored.point.stopped_by;
    if (reason.empty() || reason == "noise" || is_cut_off(stored.point)) continue;
    ++reasons[reason];
    ++early;
  }
  if (early == 0) return;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    parts.push_back(fmt::format("{} at the limit of {}", format_thousands(count), reason));
  }
  notes.push_back(
      {fmt::format(
           "{} of {} points stopped sampling before they were as free of noise as asked: {}",
           format_thousands(early), format_thousands(results.points.size()), in_words(parts)),
       true});
}

void add_samples(const RunResults& results, std::vector<RunNote>& notes) {
  std::size_t all = 0;
  std::map<SampleMark, std::size_t> marked;
  for (const StoredPoint& stored : results.points) {
    all += stored.point.samples.size();
    for (const Sample& sample : stored.point.samples) ++marked[sample.mark];
  }
  std::vector<std::string> parts;
  const auto add = [&](SampleMark mark, const char* is, const char* are, const char* in_figures) {
    const std::size_t count = marked[mark];
    if (count == 0) return;
    parts.push_back(fmt::format("{} {} ({} the figures)", format_thousands(count),
                                count == 1 ? is : are, in_figures));
  };
  add(SampleMark::outlier, "is an outlier", "are outliers", "kept in");
  add(SampleMark::low_clock, "was taken at a low clock", "were taken at a low clock",
      "left out of");
  if (parts.empty()) return;
  notes.push_back({fmt::format("of {} samples {}", format_thousands(all), in_words(parts)),
                   marked[SampleMark::low_clock] > 0});
}

/// A part of a word or a number; bytes beyond ASCII are letters.
bool is_in_word(char c) {
  return is_word(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// The end of the number that begins at `begin`, or `begin` when none does.
std::size_t end_of_number(std::string_view text, std::size_t begin) {
  const char before = begin > 0 ? text[begin - 1] : ' ';
  if (is_in_word(before) || before == '.' || before == '-') return begin;
  const std::size_t digits = begin + (text[begin] == '-' ? 1 : 0);
  std::size_t end = skip_digits(text, digits);
  if (end == digits) return begin;
  constexpr std::size_t group = 4;  // a comma and three digits
  while (end < text.size() && text[end] == ',' && skip_digits(text, end + 1) == end + group) {
    end += group;
  }
  if (end < text.size() && text[end] == '.') {
    const std::size_t decimals = skip_digits(text, end + 1);
    if (decimals > end + 1) end = decimals;
  }
  const bool joins = end < text.size() && (text[end] == '.' || text[end] == '-');
  const std::size_t next = joins ? end + 1 : end;
  const bool goes_on = next < text.size() && is_in_word(text[next]);
  return goes_on ? begin : end;
}

double value_of(std::string number) {
  std::erase(number, ',');
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

/// The parts that are known, divided by commas.
std::string join_known(std::vector<std::string> parts) {
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string known(bool is_known, const std::string& text) {
  return is_known ? text : std::string();
}

}  // namespace

std::vector<RunNote> run_notes(const RunResults& results) {
  std::vector<RunNote> notes;
  if (std::string note = note_on_verification(results.points); !note.empty()) {
    notes.push_back({std::move(note), true});
  }
  for (std::string& note : describe_missing_parts(results.run, results.points.size())) {
    notes.push_back({std::move(note), true});
  }
  for (std::string text :
       {describe_shard(results.run, results.points.size()), describe_parts(results.run)}) {
    if (!text.empty()) notes.push_back({std::move(text), false});
  }
  for (const std::string& note : results.run.notes) {
    // Counts may have followed since the run.
    const bool is_about_counts = note == too_late_to_count;
    const bool is_over =
        is_about_counts && std::ranges::none_of(results.points, lacks_counts, &StoredPoint::point);
    if (!is_over) notes.push_back({note, !is_about_counts});
  }
  add_devices(results, notes);
  add_drift(results, notes);
  add_stops(results, notes);
  add_samples(results, notes);
  return notes;
}

std::vector<std::string> describe_run_notes(const RunResults& results) {
  std::vector<std::string> texts;
  for (RunNote& note : run_notes(results)) texts.push_back(std::move(note.text));
  return texts;
}

PartlyVerified partly_verified(std::span<const StoredPoint> points) {
  PartlyVerified result;
  for (const StoredPoint& stored : points) {
    for (const Metric& metric : stored.point.metrics) {
      if (metric.name != verified_share || metric.value >= 100) continue;
      ++result.points;
      result.least = std::min(result.least, metric.value / 100);
    }
  }
  return result;
}

std::string note_on_verification(std::span<const StoredPoint> points) {
  const PartlyVerified part = partly_verified(points);
  if (part.points == 0) return {};
  return fmt::format(
      "of {} of {} the result is verified in part only, for {} of the elements at least: what no "
      "executed block wrote, and what blocks share, is not judged (--exact verifies all; emulator: "
      "{{set: ...}} in the sweep gives smaller sizes)",
      format_thousands(part.points), count_of(points.size(), "point"), format_part(part.least));
}

std::string count_partly_verified(std::span<const StoredPoint> points) {
  const std::size_t count = partly_verified(points).points;
  return count == 0 ? "" : ", " + format_thousands(count) + " verified in part";
}

std::vector<std::string> describe_notes(std::span<const StoredPoint> points) {
  /// Notes that differ in their numbers alone.
  struct Kind {
    NoteRange range;
    const StoredPoint* last = nullptr;
    std::size_t points = 0;
  };
  std::vector<Kind> kinds;  // in the order they first appear
  std::map<std::vector<std::string>, std::size_t> place_of;
  for (const StoredPoint& stored : points) {
    for (const std::string& note : stored.point.notes) {
      const NoteParts parts = take_apart(note);
      const auto [place, is_new] = place_of.emplace(parts.words, kinds.size());
      if (is_new) kinds.push_back(Kind{NoteRange(parts)});
      Kind& kind = kinds[place->second];
      kind.range.add(parts);
      if (kind.last != &stored) ++kind.points;
      kind.last = &stored;
    }
  }
  std::vector<std::string> lines;
  const std::string all = format_thousands(points.size());
  for (const Kind& kind : kinds) {
    if (lines.size() == most_notes_shown && kinds.size() > most_notes_shown + 1) {
      lines.push_back(fmt::format("and {} other notes on points",
                                  format_thousands(kinds.size() - most_notes_shown)));
      break;
    }
    std::string share = format_thousands(kind.points) + " of " + all + " points";
    if (kind.points == points.size()) share = "All " + all + " points";
    if (points.size() == 1) share = "1 point";
    lines.push_back(share + ": " + kind.range.text());
  }
  return lines;
}

NoteParts take_apart(std::string_view note) {
  NoteParts parts = {{""}, {}};
  for (std::size_t at = 0; at < note.size();) {
    const std::size_t end = end_of_number(note, at);
    if (end == at) {
      parts.words.back() += note[at++];
    } else {
      parts.numbers.emplace_back(note.substr(at, end - at));
      parts.words.emplace_back();
      at = end;
    }
  }
  return parts;
}

void NoteRange::add(const NoteParts& note) {
  for (std::size_t i = 0; i < note.numbers.size(); ++i) {
    const double value = value_of(note.numbers[i]);
    if (value < value_of(low.numbers[i])) low.numbers[i] = note.numbers[i];
    if (value > value_of(high.numbers[i])) high.numbers[i] = note.numbers[i];
  }
}

std::string NoteRange::text() const {
  std::string text = low.words.front();
  for (std::size_t i = 0; i < low.numbers.size(); ++i) {
    text += low.numbers[i];
    if (high.numbers[i] != low.numbers[i]) text += " to " + high.numbers[i];
    text += low.words[i + 1];
  }
  return text;
}

std::string readable_time(const std::string& time) {
  if (time.size() != 20 || time[10] != 'T' || !time.ends_with('Z')) return time;
  return time.substr(0, 10) + ' ' + time.substr(11, 8) + " UTC";
}

DocumentTable provenance_table(const RunRecord& run) {
  const Provenance& provenance = run.provenance;
  const Device& device = provenance.device;
  const int capability = device.compute_capability;
  const double peak = device.peak_bandwidth();
  const char* end = run.state == RunState::interrupted ? "interrupted " : "finished ";
  DocumentTable table = {{"", ""}};
  table.rows = {
      {"device", join_known({device.name,
                             known(capability > 0, fmt::format("compute capability {}.{}",
                                                               capability / 10, capability % 10)),
                             known(device.multiprocessors > 0,
                                   fmt::format("{} multiprocessors", device.multiprocessors))})},
      {"memory",
       join_known(
           {known(device.memory_bytes > 0, format_bytes(device.memory_bytes)),
            known(device.memory_bus_bits > 0 && device.memory_clock_hz > 0,
                  fmt::format("{} bit at {:.0f} MHz", device.memory_bus_bits,
                              static_cast<double>(device.memory_clock_hz) / 1e6)),
            known(peak > 0, fmt::format("theoretical peak {} GB/s", format_figure(peak / 1e9))),
            known(device.l2_bytes > 0, "L2 cache " + format_bytes(device.l2_bytes))})},
      {"driver", join_known({device.driver, known(!device.cuda.empty(), "CUDA " + device.cuda)})},
      {"compiler", provenance.compiler},
      {"engine", known(!provenance.engine_version.empty(), "sweep " + provenance.engine_version)},
      {"measuring", provenance.measure},
      {"order",
       known(provenance.seed != 0, fmt::format("shuffled with the seed {}", provenance.seed))},
      {"host", provenance.host},
      {"shard", known(provenance.share.is_part(),
                      fmt::format("{} of {}", provenance.share.shard, provenance.share.shards))},
      {"run", join_known({std::to_string(run.id),
                          known(!run.started.empty(), "started " + readable_time(run.started)),
                          known(!run.finished.empty(), end + readable_time(run.finished))})}};
  std::erase_if(table.rows, [](const auto& row) { return row[1].empty(); });
  return table;
}

}  // namespace sweep
