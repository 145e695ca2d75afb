#include "report/json_value.h"

#include <cmath>

namespace sweep {
namespace {

struct ToJson {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(bool truth) const { return truth; }
  Json operator()(ElementType type) const { return type.name(); }
  Json operator()(const std::string& word) const { return word; }
};

}  // namespace

Json json_number(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json json_known(double number) {
  return number == 0 ? Json(nullptr) : json_number(number);
}

Json json_known(std::int64_t number) {
  return number == 0 ? Json(nullptr) : Json(number);
}

Json json_place(const std::optional<std::int64_t>& place) {
  return place ? Json(*place) : Json(nullptr);
}

Json json_text(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_interval(double low, double high) {
  if (low == 0 && high == 0) return nullptr;
  return Json::array({json_number(low), json_number(high)});
}

Json json_figure(double low, double figure, double high) {
  if (figure == 0) return nullptr;
  return Json::array({json_number(low), json_number(figure), json_number(high)});
}

Json json_parameters(const Bindings& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) {
    object[name] = std::visit(ToJson{}, value);
  }
  return object;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sweep
