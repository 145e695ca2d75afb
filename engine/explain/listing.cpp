#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <variant>

#include "engine/explain/explanation.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t widest_text = 36;     ///< of an expression below its line
constexpr std::size_t widest_in_list = 50;  ///< in the list of what costs most

struct Style {
  const char* bold = "";
  const char* bad = "";
  const char* good = "";
  const char* dim = "";
  const char* reset = "";
};
constexpr Style colored = {"\033[1m", "\033[1;31m", "\033[32m", "\033[2m", "\033[0m"};

std::string shortened(const std::string& text, std::size_t widest = widest_text) {
  return text.size() <= widest ? text : text.substr(0, widest - 3) + "...";
}

/// Words folded into lines that begin with `indent`.
std::string folded(const std::string& text, const std::string& indent) {
  std::string result;
  std::string line = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && line.size() + word.size() >= columns) {
      result += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return result + line + "\n";
}

/// At most four digits, no zeros at the end.
std::string four_digits(double value) {
  return fmt::format("{:.4g}", value);
}

std::string per_request(std::uint64_t value, const AccessCost& access) {
  return four_digits(static_cast<double>(value) / static_cast<double>(access.requests()));
}

std::string_view unit_of(const AccessCost& access) {
  return access.space == AccessSpace::shared ? "wavefronts" : "sectors";
}

/// "32 sectors/request (ideal 4)"
std::string cost_text(const AccessCost& access, const MemoryModel& model) {
  const bool is_historic = model.compute_capability < 50 && access.space == AccessSpace::global;
  std::string text = fmt::format("{} {}/request (ideal {})", per_request(access.cost(), access),
                                 unit_of(access), per_request(access.ideal(), access));
  if (is_historic) {
    text += fmt::format(" in {} transactions", per_request(access.memory.transactions, access));
  }
  return text;
}

std::string remark(const AccessCost& access, const MemoryModel& model) {
  if (access.space == AccessSpace::shared) {
    const std::uint64_t conflicts = access.shared.conflicts();
    if (conflicts == 0) return "no conflicts";
    return fmt::format("{} conflicts/request", per_request(conflicts, access));
  }
  const bool is_broadcast =
      access.excess() == 0 && access.shape.uniform * 2 > access.shape.accesses;
  const bool is_by_sectors = model.compute_capability >= 50;
  // In local memory, one address is a place of each lane's own.
  const bool is_shared_by_lanes = is_broadcast && access.space == AccessSpace::global;
  if (is_shared_by_lanes && is_by_sectors) return "one address for all lanes";
  return fmt::format("{} % useful", four_digits(access.efficiency()));
}

/// The widths of an annotation's columns.
struct Widths {
  std::size_t text = 0;
  std::size_t cost = 0;
};

std::string what_of(const AccessCost& access) {
  const std::string_view space =
      access.space == AccessSpace::global ? std::string_view() : name_of(access.space);
  return fmt::format("{}{}{}", name_of(access.verb), space.empty() ? "" : " ", space);
}

std::string annotation(const AccessCost& access, const MemoryModel& model, const Widths& widths,
                       const Style& style) {
  return fmt::format("        | {:<12} {:<{}}  {}{:<{}}  {}{}\n", what_of(access),
                     shortened(access.text), widths.text,
                     access.excess() != 0 ? style.bad : style.good, cost_text(access, model),
                     widths.cost, remark(access, model), style.reset);
}

std::string head(const Explanation& explanation, const Style& style) {
  std::string text =
      fmt::format("{}{}{}\n", style.bold, to_string(explanation.configuration), style.reset);
  constexpr double all = 100;
  const double executed = all * explanation.executed_share;
  text += fmt::format(
      "  on the {}{}\n", explanation.device,
      executed < all ? fmt::format(", {} % of the blocks executed", four_digits(executed)) : "");
  for (const std::string& note : explanation.notes) text += folded(note, "  ");
  std::vector<std::string> totals;
  if (const auto share = explanation.efficiency(AccessVerb::load)) {
    totals.push_back(fmt::format("loads {} % useful", four_digits(*share)));
  }
  if (const auto share = explanation.efficiency(AccessVerb::store)) {
    totals.push_back(fmt::format("stores {} % useful", four_digits(*share)));
  }
  if (explanation.uses(AccessSpace::shared)) {
    totals.push_back(fmt::format("{} bank conflicts", format_thousands(explanation.conflicts())));
  }
  return totals.empty() ? text : text + fmt::format("  {}\n", fmt::join(totals, ", "));
}

std::string place_of(const AccessCost& access) {
  if (access.is_in_pattern) return fmt::format("line {}", access.line);
  return access.line == 0 ? "no known line" : fmt::format("{}:{}", access.file, access.line);
}

std::string source_lines(const Explanation& explanation, const Style& style) {
  const Pattern& pattern = *explanation.configuration.pattern;
  Widths widths;
  for (const AccessCost& access : explanation.accesses) {
    widths.text = std::max(widths.text, shortened(access.text).size());
    widths.cost = std::max(widths.cost, cost_text(access, explanation.model).size());
  }
  std::string text = fmt::format("\n{}:\n", pattern.source->name);
  std::istringstream body(pattern.body);
  std::size_t number = pattern.body_line;
  bool has_begun = false;
  for (std::string line; std::getline(body, line); ++number) {
    // What is left of the header's last line.
    has_begun |= line.find_first_not_of(" \t\r") != std::string::npos;
    if (!has_begun) continue;
    text += fmt::format("{}{:>5}{}   {}\n", style.dim, number, style.reset, line);
    for (const AccessCost& access : explanation.accesses) {
      if (!access.is_in_pattern || access.line != number) continue;
      text += annotation(access, explanation.model, widths, style);
    }
  }
  std::string place;
  for (const AccessCost& access : explanation.accesses) {
    if (access.is_in_pattern) continue;
    const std::string other = (access.line == 0 ? "at " : "") + place_of(access);
    if (other != place) text += fmt::format("{}:\n", other);
    place = other;
    text += annotation(access, explanation.model, widths, style);
  }
  return text;
}

std::string excess_text(const AccessCost& access) {
  if (access.excess() == 0) return {};
  return fmt::format(": {} of {} {} beyond the ideal", format_thousands(access.excess()),
                     format_thousands(access.cost()), unit_of(access));
}

/// "Lines 33, 34: " and what could be better where nothing is wasted, once for all of one advice.
std::string hints(std::span<const AccessCost* const> order) {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> groups;  // advice, places
  for (const AccessCost* access : order) {
    auto group =
        std::ranges::find(groups, access->advice, [](const auto& one) { return one.first; });
    if (group == groups.end()) group = groups.insert(groups.end(), {access->advice, {}});
    std::string place = access->is_in_pattern ? std::to_string(access->line) : place_of(*access);
    std::vector<std::string>& places = group->second;
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  std::string text;
  for (const auto& [advice, places] : groups) {
    const std::string_view word = places.size() == 1 ? "Line" : "Lines";
    text += folded(fmt::format("{} {}: {}", word, fmt::join(places, ", "), advice), "    ");
  }
  return text;
}

std::string worst(const Explanation& explanation, const Style& style) {
  const std::vector<const AccessCost*> order = explanation.worst_first();
  const auto first_hint = std::ranges::find_if(order, [](const AccessCost* access) {
    return access->excess() == 0 && access->space == AccessSpace::global &&
           access->verb != AccessVerb::atomic;
  });
  const std::span ranked(order.begin(), first_hint);
  std::string text = "\nNothing is moved in vain.\n";
  if (!ranked.empty()) {
    text = explanation.are_totals ? "\nWhat costs most:\n"
                                  : "\nWhat costs most, in the blocks that were executed:\n";
  }
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const AccessCost& access = *ranked[i];
    text += fmt::format("{}{:>2}. {}, {} {}{}{}\n", style.bold, i + 1, place_of(access),
                        what_of(access), shortened(access.text, widest_in_list), style.reset,
                        excess_text(access));
    // Neighbours with one advice, as the load and the store of a +=, share it.
    const bool is_shared = i + 1 < ranked.size() && ranked[i + 1]->advice == access.advice;
    if (!is_shared) text += folded(access.advice, "    ");
  }
  return text + hints({first_hint, order.end()});
}

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

ordered_json json_of(const AccessCost& access) {
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
  json["advice"] = access.advice;
  return json;
}

}  // namespace

std::string write_listing(const Explanation& explanation, bool color) {
  const Style style = color ? colored : Style{};
  std::string text = head(explanation, style) + source_lines(explanation, style);
  if (explanation.accesses.empty()) return text + "\nNo access to memory was executed.\n";
  return text + worst(explanation, style);
}

std::string write_explanation_json(const Explanation& explanation) {
  const Configuration& configuration = explanation.configuration;
  ordered_json parameters = ordered_json::object();
  for (const auto& [name, value] : configuration.parameters.entries()) {
    parameters[name] = json_of(value);
  }
  const auto share_of = [&](AccessVerb verb) {
    const auto share = explanation.efficiency(verb);
    return share ? ordered_json(*share) : ordered_json();
  };
  ordered_json accesses = ordered_json::array();
  for (const AccessCost& access : explanation.accesses) accesses.push_back(json_of(access));
  const ordered_json json = {{"pattern", configuration.pattern->name},
                             {"configuration", parameters},
                             {"device", explanation.device},
                             {"model", explanation.model.compute_capability},
                             {"notes", explanation.notes},
                             {"are_totals", explanation.are_totals},
                             {"executed_share", explanation.executed_share},
                             {"totals",
                              {{"load_efficiency", share_of(AccessVerb::load)},
                               {"store_efficiency", share_of(AccessVerb::store)},
                               {"shared_conflicts", explanation.conflicts()}}},
                             {"accesses", accesses}};
  // Sources need not be UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sweep
