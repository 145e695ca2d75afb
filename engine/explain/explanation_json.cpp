#include <nlohmann/json.hpp>
#include <variant>

#include "engine/explain/listing.h"

namespace sweep {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
  return to_string(value);
}

ordered_json json_of(const AddressShape& shape) {
  ordered_json json = {{"accesses", shape.accesses},     {"uniform", shape.uniform},
                       {"stepped", shape.stepped},       {"scattered", shape.scattered},
                       {"off_sector", shape.off_sector}, {"off_line", shape.off_line},
                       {"partial", shape.partial},       {"lanes", shape.lanes}};
  const AddressShape::StepCount& usual = shape.usual_step();
  if (usual.accesses != 0) {
    json["step"] = {{"bytes", usual.step.delta},
                    {"lanes", usual.step.group},
                    {"pitch", usual.step.pitch},
                    {"accesses", usual.accesses}};
  }
  return json;
}

ordered_json json_of(const AccessCost& access, const std::string& advice) {
  ordered_json json = {{"file", access.file},
                       {"line", access.line},
                       {"column", access.column},
                       {"text", access.text},
                       {"is_expression", access.is_expression},
                       {"array", access.array},
                       {"kind", name_of(access.verb)},
                       {"space", name_of(access.space)},
                       {"width", access.width},
                       {"instructions", access.instructions},
                       {"requests", access.requests()}};
  if (access.space == AccessSpace::shared) {
    json["wavefronts"] = access.shared.wavefronts;
    json["conflicts"] = access.shared.conflicts();
  } else {
    json["sectors"] = access.memory.sectors;
    json["lines"] = access.memory.lines;
    json["transactions"] = access.memory.transactions;
    json["wavefronts"] = access.memory.data_wavefronts;
  }
  json["bytes_wanted"] =
      access.space == AccessSpace::shared ? access.shared.bytes_wanted : access.memory.bytes_wanted;
  json["ideal"] = access.ideal();
  json["excess"] = access.excess();
  json["efficiency"] = access.efficiency();
  json["shape"] = json_of(access.shape);
  json["advice"] = advice;
  return json;
}

ordered_json json_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

}  // namespace

std::string write_explanation_json(const Explanation& explanation) {
  const Configuration& configuration = explanation.configuration;
  ordered_json parameters = ordered_json::object();
  for (const auto& [name, value] : configuration.parameters.entries()) {
    parameters[name] = json_of(value);
  }
  ordered_json accesses = ordered_json::array();
  for (std::size_t i = 0; i < explanation.accesses.size(); ++i) {
    accesses.push_back(json_of(explanation.accesses[i], explanation.advice[i]));
  }
  const ordered_json json = {
      {"pattern", configuration.pattern->name},
      {"configuration", parameters},
      {"device", explanation.device},
      {"model", explanation.model.compute_capability},
      {"notes", explanation.notes},
      {"are_totals", explanation.are_totals},
      {"executed_share", explanation.executed_share},
      {"totals",
       {{"load_efficiency", json_or_null(explanation.efficiency(AccessVerb::load))},
        {"store_efficiency", json_or_null(explanation.efficiency(AccessVerb::store))},
        {"shared_conflicts", explanation.conflicts()}}},
      {"accesses", accesses}};
  // Sources need not be UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sweep
