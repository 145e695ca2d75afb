#include "engine/store/figures_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sweep {
namespace {

constexpr std::string_view infinity = "9e999";

void append(std::string& json, double number) {
  if (std::isnan(number)) {
    json += "null";
  } else if (std::isinf(number)) {
    if (number < 0) json += '-';
    json += infinity;
  } else {
    std::array<char, 32> digits = {};
    const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    json.append(digits.begin(), end);
  }
}

/// Reads the arrays of numbers and words that are written here.
class Reader {
 public:
  explicit Reader(std::string_view json) : rest_(json) {}

  /// Whether this character comes next; if so, it is read.
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  void expect_end() const {
    if (!rest_.empty()) fail();
  }

  double number() {
    if (take("null")) return std::numeric_limits<double>::quiet_NaN();
    if (take(infinity)) return std::numeric_limits<double>::infinity();
    if (rest_.starts_with('-') && rest_.substr(1).starts_with(infinity)) {
      rest_.remove_prefix(1 + infinity.size());
      return -std::numeric_limits<double>::infinity();
    }
    double number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  std::string_view word() {
    expect('"');
    const std::size_t length = rest_.find('"');
    if (length == std::string_view::npos) fail();
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return word;
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  [[noreturn]] void fail() const {
    throw std::invalid_argument(
        fmt::format("a point's figures: unexpected '{}'", rest_.substr(0, 20)));
  }

  std::string_view rest_;
};

Sample read_sample(Reader& reader) {
  Sample sample;
  reader.expect('[');
  sample.seconds = reader.number();
  reader.expect(',');
  sample.sm_clock_hz = reader.number();
  if (reader.take(',')) {
    const std::string_view name = reader.word();
    const auto mark = find_sample_mark(name);
    if (!mark) {
      throw std::invalid_argument(fmt::format("a sample has the unknown mark '{}'", name));
    }
    sample.mark = *mark;
  }
  reader.expect(']');
  return sample;
}

/// Reads an array whose elements `read` reads.
template <class Element, class Read>
std::vector<Element> read_array(std::string_view json, const Read& read) {
  Reader reader(json);
  std::vector<Element> elements;
  reader.expect('[');
  if (!reader.take(']')) {
    do {
      elements.push_back(read(reader));
    } while (reader.take(','));
    reader.expect(']');
  }
  reader.expect_end();
  return elements;
}

}  // namespace

std::string samples_to_json(const std::vector<Sample>& samples) {
  std::string json = "[";
  for (const Sample& sample : samples) {
    json += json.size() == 1 ? "[" : ",[";
    append(json, sample.seconds);
    json += ',';
    append(json, sample.sm_clock_hz);
    if (sample.mark != SampleMark::plain) json.append(",\"").append(to_string(sample.mark)) += '"';
    json += ']';
  }
  return json += ']';
}

std::vector<Sample> samples_from_json(std::string_view json) {
  return read_array<Sample>(json, read_sample);
}

std::string values_to_json(const std::vector<Metric>& metrics) {
  std::string json = "[";
  for (const Metric& metric : metrics) {
    if (json.size() > 1) json += ',';
    append(json, metric.value);
  }
  return json += ']';
}

std::vector<double> values_from_json(std::string_view json) {
  return read_array<double>(json, [](Reader& reader) { return reader.number(); });
}

}  // namespace sweep
