#include "report/html/access_costs.h"

#include <nlohmann/json.hpp>

namespace sweep {
namespace {

using nlohmann::json;

double number_of(const json& access, const char* key) {
  const auto found = access.find(key);
  return found != access.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text_of(const json& access, const char* key) {
  const auto found = access.find(key);
  return found != access.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t line_of(const json& access) {
  const auto found = access.find("line");
  return found != access.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

std::vector<AccessCostLine> read_access_costs(std::string_view text) {
  const json explanation = json::parse(text, nullptr, false);
  if (!explanation.is_object()) return {};
  const auto accesses = explanation.find("accesses");
  if (accesses == explanation.end() || !accesses->is_array()) return {};
  std::vector<AccessCostLine> costs;
  for (const json& access : *accesses) {
    if (!access.is_object()) continue;
    AccessCostLine cost;
    cost.file = text_of(access, "file");
    cost.line = line_of(access);
    cost.text = text_of(access, "text");
    cost.kind = text_of(access, "kind");
    cost.space = text_of(access, "space");
    cost.requests = number_of(access, "requests");
    cost.cost = number_of(access, cost.is_shared() ? "wavefronts" : "sectors");
    cost.ideal = number_of(access, "ideal");
    cost.efficiency = number_of(access, "efficiency");
    cost.advice = text_of(access, "advice");
    costs.push_back(std::move(cost));
  }
  return costs;
}

}  // namespace sweep
