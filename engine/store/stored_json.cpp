#include "engine/store/stored_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

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
  } catch (const Json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace sweep
