#include "engine/store/stored_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

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
  } catch (const Json::exception& error) {
    throw std::invalid_argument(json_problem(error));
  }
}

std::string json_problem(const std::exception& error) {
  constexpr std::size_t longest = 200;
  const std::string_view text = error.what();
  std::size_t begin = 0;
  if (const std::size_t column = text.find(", column "); column != text.npos) {
    if (const std::size_t colon = text.find(": ", column); colon != text.npos) begin = colon + 2;
  } else if (const std::size_t bracket = text.find("] "); bracket != text.npos) {
    begin = bracket + 2;
  }
  return cut_to_bytes(text.substr(begin), longest);
}

namespace {

struct ToJson {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(bool truth) const { return truth; }
  Json operator()(ElementType type) const { return {{"element", type.name()}}; }
  Json operator()(const std::string& word) const { return word; }
};

Json json_of(const Bindings& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) {
    object[name] = std::visit(ToJson{}, value);
  }
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

Bindings bindings_of(const Json& json) {
  if (!json.is_object()) throw std::invalid_argument("not an object");
  Bindings parameters;
  for (const auto& [name, value] : json.items()) parameters.set(name, value_of(value));
  return parameters;
}

std::string text_of(std::string_view what, const Json& json) {
  try {
    return json.dump();
  } catch (const Json::exception& error) {
    throw StoreError(fmt::format("{} cannot be stored: {}", what, json_problem(error)));
  }
}

constexpr const char* of_point = "a point's parameters";

constexpr double infinity = std::numeric_limits<double>::infinity();

Better better_named(const std::string& text) {
  for (const Better better : {Better::higher, Better::lower, Better::neither}) {
    if (text == to_string(better)) return better;
  }
  throw std::invalid_argument(fmt::format("what is better is '{}'", text));
}

Origin origin_named(const std::string& text) {
  const auto origin = find_origin(text);
  if (!origin) throw std::invalid_argument(fmt::format("there is no origin '{}'", text));
  return *origin;
}

Json number_to_json(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

double number_from_json(const Json& json) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return infinity;
  if (json == "-inf") return -infinity;
  if (!json.is_number()) throw std::invalid_argument("a figure is not a number");
  return json.get<double>();
}

Json numbers_to_json(double low, double value, double high) {
  return Json::array({number_to_json(low), number_to_json(value), number_to_json(high)});
}

void read_numbers(const Json& json, double& low, double& value, double& high) {
  if (!json.is_array() || json.size() != 3) {
    throw std::invalid_argument("a figure is not three numbers");
  }
  low = number_from_json(json.at(0));
  value = number_from_json(json.at(1));
  high = number_from_json(json.at(2));
}

Json place_to_json(std::optional<std::int64_t> place) {
  return place ? Json(*place) : Json(nullptr);
}

template <class Integer>
Integer integer_from_json(const Json& json) {
  if (!json.is_number_integer()) throw std::invalid_argument("a number is not an integer");
  return json.get<Integer>();
}

std::optional<std::int64_t> place_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return integer_from_json<std::int64_t>(json);
}

Json group_to_json(const TunedGroup& group) {
  return {{"group", json_of(group.group)},
          {"configurations", group.configurations},
          {"tried", group.tried},
          {"ended", group.ended},
          {"winner", place_to_json(group.winner)},
          {"rounds", group.rounds},
          {"figure", numbers_to_json(group.figure_low, group.figure, group.figure_high)},
          {"default_configuration", place_to_json(group.default_configuration)},
          {"why_no_default", group.why_no_default},
          {"gain", numbers_to_json(group.gain_low, group.gain, group.gain_high)}};
}

TunedGroup group_from_json(const Json& json) {
  TunedGroup group;
  const Json& parameters = json.at("group");
  group.group = read_as(of_point, [&] { return bindings_of(parameters); });
  group.configurations = integer_from_json<std::int64_t>(json.at("configurations"));
  group.tried = integer_from_json<std::int64_t>(json.at("tried"));
  group.ended = json.at("ended").get<std::string>();
  group.winner = place_from_json(json.at("winner"));
  group.rounds = integer_from_json<int>(json.at("rounds"));
  read_numbers(json.at("figure"), group.figure_low, group.figure, group.figure_high);
  group.default_configuration = place_from_json(json.at("default_configuration"));
  group.why_no_default = json.at("why_no_default").get<std::string>();
  read_numbers(json.at("gain"), group.gain_low, group.gain, group.gain_high);
  return group;
}

TuningRecord record_from_json(const Json& json) {
  TuningRecord tuning;
  tuning.metric = json.at("metric").get<std::string>();
  tuning.origin = origin_named(json.at("origin").get<std::string>());
  tuning.better = better_named(json.at("better").get<std::string>());
  tuning.strategy = json.at("strategy").get<std::string>();
  tuning.seed = integer_from_json<std::uint64_t>(json.at("seed"));
  tuning.for_each = json.at("for_each").get<std::vector<std::string>>();
  const Json& groups = json.at("groups");
  if (!groups.is_array()) throw std::invalid_argument("the groups are no array");
  for (const Json& group : groups) tuning.groups.push_back(group_from_json(group));
  return tuning;
}

}  // namespace

std::string parameters_to_json(const Bindings& parameters) {
  return text_of(of_point, json_of(parameters));
}

Bindings parameters_from_json(const std::string& json) {
  return read_as(of_point, [&] { return bindings_of(parse_stored_json(json)); });
}

std::string tuning_to_json(const TuningRecord& tuning) {
  Json groups = Json::array();
  for (const TunedGroup& group : tuning.groups) groups.push_back(group_to_json(group));
  return text_of("what the search found", {{"metric", tuning.metric},
                                           {"origin", to_string(tuning.origin)},
                                           {"better", to_string(tuning.better)},
                                           {"strategy", tuning.strategy},
                                           {"seed", tuning.seed},
                                           {"for_each", tuning.for_each},
                                           {"groups", std::move(groups)}});
}

TuningRecord tuning_from_json(const std::string& json) {
  return read_as("what a search found", [&] { return record_from_json(parse_stored_json(json)); });
}

}  // namespace sweep
