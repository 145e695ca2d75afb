#include "engine/store/tuning_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "engine/store/parameters_json.h"
#include "engine/store/store.h"
#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

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
  return {{"group", Json::parse(parameters_to_json(group.group))},
          {"configurations", group.configurations},
          {"tried", group.tried},
          {"ended", group.ended},
          {"winner", place_to_json(group.winner)},
          {"rounds", group.rounds},
          {"figure", numbers_to_json(group.figure_low, group.figure, group.figure_high)},
          {"standard", place_to_json(group.standard)},
          {"no_standard", group.no_standard},
          {"gain", numbers_to_json(group.gain_low, group.gain, group.gain_high)}};
}

TunedGroup group_from_json(const Json& json) {
  TunedGroup group;
  group.group = parameters_from_json(json.at("group").dump());
  group.configurations = integer_from_json<std::int64_t>(json.at("configurations"));
  group.tried = integer_from_json<std::int64_t>(json.at("tried"));
  group.ended = json.at("ended").get<std::string>();
  group.winner = place_from_json(json.at("winner"));
  group.rounds = integer_from_json<int>(json.at("rounds"));
  read_numbers(json.at("figure"), group.figure_low, group.figure, group.figure_high);
  group.standard = place_from_json(json.at("standard"));
  group.no_standard = json.at("no_standard").get<std::string>();
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

std::string tuning_to_json(const TuningRecord& tuning) {
  Json groups = Json::array();
  for (const TunedGroup& group : tuning.groups) groups.push_back(group_to_json(group));
  const Json json = {{"metric", tuning.metric},
                     {"origin", to_string(tuning.origin)},
                     {"better", to_string(tuning.better)},
                     {"strategy", tuning.strategy},
                     {"seed", tuning.seed},
                     {"for_each", tuning.for_each},
                     {"groups", std::move(groups)}};
  try {
    return json.dump();
  } catch (const Json::exception& error) {
    throw StoreError(
        fmt::format("what the search found cannot be stored: {}", json_problem(error)));
  }
}

TuningRecord tuning_from_json(const std::string& json) {
  try {
    return record_from_json(parse_stored_json(json));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("what a search found: {}", json_problem(error)));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("what a search found: {}", error.what()));
  }
}

TuningRecord read_tuning(const std::string& json, const sqlite::Database& database) {
  try {
    return tuning_from_json(json);
  } catch (const std::invalid_argument& error) {
    database.fail_as_damaged(error.what());
  }
}

}  // namespace sweep
