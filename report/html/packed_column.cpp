#include "report/html/packed_column.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::uint64_t kinds = digits.size();

std::size_t digits_for(std::uint64_t largest) {
  std::size_t count = 1;
  for (std::uint64_t rest = largest / kinds; rest > 0; rest /= kinds) ++count;
  return count;
}

void append(std::string& text, std::uint64_t number, std::size_t count) {
  const std::size_t begin = text.size();
  text.resize(begin + count);
  for (std::size_t i = count; i > 0; --i) {
    text[begin + i - 1] = digits[number % kinds];
    number /= kinds;
  }
}

}  // namespace

Json packed_places(const std::vector<std::int64_t>& places) {
  if (places.size() <= most_plain_points) return places;
  const auto number = [](std::int64_t place) { return static_cast<std::uint64_t>(place + 1); };
  const std::size_t count = digits_for(number(std::ranges::max(places)));
  std::string text;
  text.reserve(places.size() * count);
  for (const std::int64_t place : places) append(text, number(place), count);
  return {{"digits", count}, {"text", std::move(text)}};
}

Json packed_figures(std::vector<Json> figures) {
  // With more of them the list is not much longer.
  constexpr std::size_t most_values = 4095;
  if (figures.size() <= most_plain_points) return figures;
  std::map<std::string, std::int64_t> places;
  std::vector<std::int64_t> at;
  Json values = Json::array();
  for (const Json& figure : figures) {
    const auto [place, is_new] =
        places.emplace(figure.dump(), static_cast<std::int64_t>(values.size()));
    if (is_new) values.push_back(figure);
    if (values.size() > most_values) return figures;
    at.push_back(place->second);
  }
  return {{"values", std::move(values)}, {"places", packed_places(at)}};
}

}  // namespace sweep
