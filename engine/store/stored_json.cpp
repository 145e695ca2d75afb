#include "engine/store/stored_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "engine/store/store.h"
#include "engine/text/characters.h"

namespace sweep {

using Json = nlohmann::ordered_json;

Json parse_stored_json(std::string_view text) {
  constexpr int deepest = 100;
  const auto keep = [](int depth, Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > deepest) throw std::invalid_argument("JSON that is nested too deeply");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), keep);
  } catch (const Json::parse_error& error) {
    throw std::invalid_argument(
        fmt::format("no JSON at byte {}: {}", error.byte, json_problem(error)));
  }
}

std::string json_problem(const std::exception& error) {
  constexpr std::size_t longest = 200;
  std::string_view text = error.what();
  const std::size_t column = text.find(", column ");
  const std::size_t end = column != text.npos ? text.find(": ", column) : text.find("] ");
  if (end != text.npos) text.remove_prefix(end + 2);
  return cut_to_bytes(text, longest);
}

namespace {

constexpr const char* of_point = "a point's parameters";
constexpr double endless = std::numeric_limits<double>::infinity();

/// What `read` gives. Whatever it finds wrong is an std::invalid_argument that names `what`.
template <class Read>
auto read_as(std::string_view what, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("{}: {}", what, json_problem(error)));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", what, error.what()));
  }
}

std::string text_of(std::string_view what, const Json& json) {
  try {
    return json.dump();
  } catch (const Json::exception& error) {
    throw StoreError(fmt::format("{} cannot be stored: {}", what, json_problem(error)));
  }
}

Json json_of(const Value& value) {
  if (const auto* type = std::get_if<ElementType>(&value)) return {{"element", type->name()}};
  return std::visit(
      [](const auto& each) -> Json {
        if constexpr (requires { Json(each); }) return each;
        return nullptr;
      },
      value);
}

Json json_of(const Bindings& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) object[name] = json_of(value);
  return object;
}

Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  const auto name = json.at("element").get<std::string>();
  const auto type = ElementType::find(name);
  if (!type) throw std::invalid_argument(fmt::format("there is no element type '{}'", name));
  return *type;
}

Bindings bindings_of(const Json& json) {
  if (!json.is_object()) throw std::invalid_argument("not an object");
  Bindings parameters;
  for (const auto& [name, value] : json.items()) parameters.set(name, value_of(value));
  return parameters;
}

/// An interval with a figure in it is the list of its low end, the figure, and its high end.
Json json_of(double low, double figure, double high) {
  Json list = Json::array();
  for (const double number : {low, figure, high}) {
    list.push_back(std::isnan(number)   ? Json(nullptr)
                   : std::isinf(number) ? Json(number > 0 ? "inf" : "-inf")
                                        : Json(number));
  }
  return list;
}

void read(const Json& json, double& low, double& figure, double& high) {
  if (!json.is_array() || json.size() != 3) {
    throw std::invalid_argument("a figure is not three numbers");
  }
  std::size_t place = 0;
  for (double* number : {&low, &figure, &high}) {
    const Json& each = json.at(place++);
    *number = each.is_null()   ? std::numeric_limits<double>::quiet_NaN()
              : each == "inf"  ? endless
              : each == "-inf" ? -endless
                               : each.get<double>();
  }
}

Json json_of(const std::optional<std::int64_t>& place) {
  return place ? Json(*place) : Json(nullptr);
}

void read(const Json& json, std::integral auto& value) {
  if (!json.is_number_integer()) throw std::invalid_argument("a number is not an integer");
  json.get_to(value);
}

void read(const Json& json, std::optional<std::int64_t>& place) {
  if (!json.is_null()) read(json, place.emplace());
}

template <class Enum>
Enum named(const Json& json) {
  const auto name = json.get<std::string>();
  if (const auto found = find_named<Enum>(name)) return *found;
  throw std::invalid_argument(fmt::format("there is no '{}'", name));
}

Json json_of(const TunedGroup& group) {
  Json json = {{"group", json_of(group.group)},
               {"place", group.place},
               {"configurations", group.configurations},
               {"tried", group.tried},
               {"ended", group.ended},
               {"winner", json_of(group.winner)},
               {"rounds", group.rounds},
               {"figure", json_of(group.figure_low, group.figure, group.figure_high)},
               {"default_configuration", json_of(group.default_configuration)},
               {"why_no_default", group.why_no_default},
               {"gain", json_of(group.gain_low, group.gain, group.gain_high)}};
  if (!group.why_no_winner.empty()) json["why_no_winner"] = group.why_no_winner;
  return json;
}

TunedGroup group_of(const Json& json) {
  TunedGroup group;
  group.group = read_as(of_point, [&] { return bindings_of(json.at("group")); });
  if (json.contains("place")) read(json.at("place"), group.place);
  read(json.at("configurations"), group.configurations);
  read(json.at("tried"), group.tried);
  json.at("ended").get_to(group.ended);
  read(json.at("winner"), group.winner);
  read(json.at("rounds"), group.rounds);
  read(json.at("figure"), group.figure_low, group.figure, group.figure_high);
  read(json.at("default_configuration"), group.default_configuration);
  json.at("why_no_default").get_to(group.why_no_default);
  read(json.at("gain"), group.gain_low, group.gain, group.gain_high);
  if (json.contains("why_no_winner")) json.at("why_no_winner").get_to(group.why_no_winner);
  return group;
}

constexpr std::string_view positive_infinity = "9e999";
constexpr std::string_view negative_infinity = "-9e999";

void append(std::string& json, double number) {
  if (std::isnan(number)) {
    json += "null";
  } else if (std::isinf(number)) {
    json += number > 0 ? positive_infinity : negative_infinity;
  } else {
    std::array<char, 32> digits = {};
    json.append(digits.begin(), std::to_chars(digits.begin(), digits.end(), number).ptr);
  }
}

/// Reads the arrays of numbers and words that are written here.
class FiguresReader {
 public:
  explicit FiguresReader(std::string_view json) : rest_(json) {}

  /// Whether this text comes next; if so, it is read.
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fail();
  }

  double number() {
    if (take("null")) return std::numeric_limits<double>::quiet_NaN();
    if (take(positive_infinity)) return endless;
    if (take(negative_infinity)) return -endless;
    double number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  Sample sample() {
    Sample sample;
    expect("[");
    sample.seconds = number();
    expect(",");
    sample.sm_clock_hz = number();
    if (take(",\"")) {
      for (const SampleMark mark : {SampleMark::low_clock, SampleMark::outlier}) {
        if (sample.mark == SampleMark::plain && take(to_string(mark))) sample.mark = mark;
      }
      expect("\"");
    }
    expect("]");
    return sample;
  }

  /// An array whose elements `read` reads, and the end.
  template <class Element>
  std::vector<Element> array(Element (FiguresReader::*read)()) {
    std::vector<Element> elements;
    expect("[");
    while (!take("]")) {
      if (!elements.empty()) expect(",");
      elements.push_back((this->*read)());
    }
    if (!rest_.empty()) fail();
    return elements;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::invalid_argument(
        fmt::format("a point's figures: unexpected '{}'", rest_.substr(0, 20)));
  }

  std::string_view rest_;
};

}  // namespace

std::string parameters_to_json(const Bindings& parameters) {
  return text_of(of_point, json_of(parameters));
}

Bindings parameters_from_json(const std::string& json) {
  return read_as(of_point, [&] { return bindings_of(parse_stored_json(json)); });
}

std::string tuning_to_json(const TuningRecord& tuning) {
  Json groups = Json::array();
  for (const TunedGroup& group : tuning.groups) groups.push_back(json_of(group));
  return text_of("what the search found", {{"metric", tuning.metric},
                                           {"origin", to_string(tuning.origin)},
                                           {"better", to_string(tuning.better)},
                                           {"strategy", tuning.strategy},
                                           {"seed", tuning.seed},
                                           {"for_each", tuning.for_each},
                                           {"groups", std::move(groups)}});
}

TuningRecord tuning_from_json(const std::string& text) {
  return read_as("what a search found", [&] {
    const Json json = parse_stored_json(text);
    TuningRecord tuning;
    json.at("metric").get_to(tuning.metric);
    const auto origin = json.at("origin").get<std::string>();
    const auto known = find_origin(origin);
    if (!known) throw std::invalid_argument(fmt::format("there is no '{}'", origin));
    tuning.origin = *known;
    tuning.better = named<Better>(json.at("better"));
    json.at("strategy").get_to(tuning.strategy);
    read(json.at("seed"), tuning.seed);
    json.at("for_each").get_to(tuning.for_each);
    const Json& groups = json.at("groups");
    if (!groups.is_array()) throw std::invalid_argument("the groups are no array");
    for (const Json& group : groups) tuning.groups.push_back(group_of(group));
    return tuning;
  });
}

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
  return FiguresReader(json).array(&FiguresReader::sample);
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
  return FiguresReader(json).array(&FiguresReader::number);
}

}  // namespace sweep
