#include "engine/store/stored_json.h"

#include <fmt/format.h>

#include <stdexcept>

#include "engine/text/characters.h"

namespace sweep {

nlohmann::ordered_json parse_stored_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
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

std::string json_problem(const nlohmann::json::exception& error) {
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

}  // namespace sweep
