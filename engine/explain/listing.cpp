#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

std::string_view name_of(AccessVerb verb) {
  return std::array{"load", "store", "atomic", "copy"}.at(static_cast<std::size_t>(verb));
}

std::string_view name_of(AccessSpace space) {
  return std::array{"global", "shared", "local", "remote"}.at(static_cast<std::size_t>(space));
}

/// In %; 0 where nothing was moved.
double useful_part(std::uint64_t bytes_wanted, std::uint64_t bytes_moved) {
  if (bytes_moved == 0) return 0;
  return 100 * static_cast<double>(bytes_wanted) / static_cast<double>(bytes_moved);
}

double efficiency_of(const GlobalCount& count) {
  return useful_part(count.bytes_wanted, sector_bytes * count.sectors);
}

/// Bytes wanted of those moved; of a shared access of those that its wavefronts could move.
double efficiency_of(const AccessCost& access) {
  constexpr std::uint64_t wavefront_bytes = 128;
  if (access.space != AccessSpace::shared) return efficiency_of(access.memory);
  return useful_part(access.shared.bytes_wanted, wavefront_bytes * access.cost());
}

/// What a kernel's accesses to global and to shared memory come to together.
struct Totals {
  GlobalCount loads;  ///< copies among them
  GlobalCount stores;
  SharedCount shared;
};

Totals totals_of(const Explanation& explanation) {
  Totals totals;
  for (const AccessCost& access : explanation.accesses) {
    totals.shared += access.shared;
    if (access.space != AccessSpace::global || access.verb == AccessVerb::atomic) continue;
    (access.verb == AccessVerb::store ? totals.stores : totals.loads) += access.memory;
  }
  return totals;
}

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
  if (access.space == AccessSpace::remote) {
    return per_request(access.remote.bytes, access) + " bytes/request";
  }
  std::string text = fmt::format("{} {}/request (ideal {})", per_request(access.cost(), access),
                                 unit_of(access), per_request(access.ideal(), access));
  const bool is_historic = model.compute_capability < 50 && access.space == AccessSpace::global;
  if (!is_historic) return text;
  return text + fmt::format(" in {} transactions", per_request(access.memory.transactions, access));
}

std::string remark_on_cost(const AccessCost& access, const MemoryModel& model) {
  if (access.space == AccessSpace::remote) return "of other blocks of the cluster";
  if (access.space == AccessSpace::shared) {
    const std::uint64_t conflicts = access.shared.conflicts();
    if (conflicts == 0) return "no conflicts";
    return fmt::format("{} conflicts/request", per_request(conflicts, access));
  }
  // In local memory, one address is a place of each lane's own.
  const bool is_broadcast = access.excess() == 0 && access.space == AccessSpace::global &&
                            access.shape.uniform * 2 > access.shape.accesses;
  if (is_broadcast && model.compute_capability >= 50) return "one address for all lanes";
  return fmt::format("{} % useful", four_digits(efficiency_of(access)));
}

std::string remark(const AccessCost& access, const MemoryModel& model) {
  const std::string text = remark_on_cost(access, model);
  if (access.is_uncertain) return text + ", as in the PTX: what ptxas made of it is not certain";
  if (access.joined == 0) return text;
  const std::uint32_t all = access.instructions + access.joined;
  return fmt::format("{}, {} joined into {} of {} bytes", text, all, access.instructions,
                     access.width);
}

/// ", 2.5 of 32 lanes" where warps are far from whole.
std::string lanes_of(const AccessCost& access) {
  constexpr double nearly_whole = 24;
  if (access.space == AccessSpace::remote) return {};
  const double lanes = access.lanes_per_request();
  return lanes < nearly_whole ? fmt::format(", {} of 32 lanes", four_digits(lanes)) : std::string();
}

/// "by iteration: 1: 2, 2: 4, 3 to 8: 16 wavefronts/request" where they differ in cost.
std::string iterations_of(const AccessCost& access) {
  constexpr double alike = 1.05;
  constexpr double different = 1.25;
  constexpr std::size_t most = 8;
  struct Range {
    std::size_t first;
    std::size_t last;
    AddressShape::Visit sum;
    double cost() const {
      return static_cast<double>(sum.cost) / static_cast<double>(sum.requests);
    }
  };
  std::vector<Range> ranges;
  const std::vector<AddressShape::Visit> iterations = access.iterations();
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const Range next = {i + 1, i + 1, iterations[i]};
    if (next.sum.requests == 0) continue;
    const double before = ranges.empty() ? 0 : ranges.back().cost();
    if (std::max(before, next.cost()) > std::min(before, next.cost()) * alike) {
      ranges.push_back(next);
      continue;
    }
    ranges.back().last = next.last;
    ranges.back().sum.requests += next.sum.requests;
    ranges.back().sum.cost += next.sum.cost;
  }
  if (access.excess() == 0 || ranges.size() < 2 || ranges.size() > most) return {};
  const auto [least, greatest] = std::ranges::minmax_element(ranges, {}, &Range::cost);
  if (greatest->cost() < least->cost() * different) return {};
  std::vector<std::string> words;
  for (const Range& range : ranges) {
    const bool is_open =
        iterations.size() == AddressShape::most_visits && range.last == iterations.size();
    words.push_back(fmt::format("{}{}: {}", range.first,
                                is_open                    ? " and later"
                                : range.last > range.first ? fmt::format(" to {}", range.last)
                                                           : "",
                                four_digits(range.cost())));
  }
  return fmt::format("by iteration: {} {}/request", fmt::join(words, ", "), unit_of(access));
}

/// "called from line 45: 32 sectors/request, line 52: 4".
std::string callers_of(const AccessCost& access) {
  std::vector<std::string> words;
  for (const AccessCost::Caller& caller : access.callers) {
    const double cost = static_cast<double>(caller.cost) / static_cast<double>(caller.requests);
    words.push_back(access.callers.size() == 1 ? caller.place
                                               : fmt::format("{} ({} {}/request)", caller.place,
                                                             four_digits(cost), unit_of(access)));
  }
  return words.empty() ? std::string() : fmt::format("called from {}", fmt::join(words, ", "));
}

std::string what_of(const AccessCost& access) {
  if (access.space == AccessSpace::global) return std::string(name_of(access.verb));
  return fmt::format("{} {}", name_of(access.verb), name_of(access.space));
}

std::string head(const Explanation& explanation, const Style& style) {
  const double executed = 100 * explanation.executed_share;
  std::string text = fmt::format(
      "{}{}{}\n  on the {}{}\n", style.bold, to_string(explanation.configuration), style.reset,
      explanation.device,
      executed < 100 ? fmt::format(", {} % of the blocks executed", four_digits(executed)) : "");
  for (const std::string& note : explanation.notes) text += folded(note, "  ");
  const auto [loads, stores, shared] = totals_of(explanation);
  std::vector<std::string> totals;
  for (const auto& [name, count] : {std::pair("loads", loads), {"stores", stores}}) {
    if (count.sectors == 0) continue;
    totals.push_back(fmt::format("{} {} % useful", name, four_digits(efficiency_of(count))));
  }
  if (shared.requests != 0) {
    totals.push_back(fmt::format("{} bank conflicts", format_thousands(shared.conflicts())));
  }
  return totals.empty() ? text : text + fmt::format("  {}\n", fmt::join(totals, ", "));
}

std::string place_of(const AccessCost& access) {
  if (access.is_in_pattern) return fmt::format("line {}", access.line);
  return access.line == 0 ? "no known line" : fmt::format("{}:{}", access.file, access.line);
}

std::string source_lines(const Explanation& explanation, const Style& style) {
  const Pattern& pattern = *explanation.configuration.pattern;
  std::size_t widest = 0;
  std::size_t widest_cost = 0;
  for (const AccessCost& access : explanation.accesses) {
    widest = std::max(widest, shortened(access.text).size());
    widest_cost = std::max(widest_cost, cost_text(access, explanation.model).size());
  }
  const auto annotation = [&](const AccessCost& access) {
    std::string lines = fmt::format(
        "        | {:<12} {:<{}}  {}{:<{}}  {}{}{}\n", what_of(access), shortened(access.text),
        widest, access.excess() != 0 ? style.bad : style.good, cost_text(access, explanation.model),
        widest_cost, remark(access, explanation.model), lanes_of(access), style.reset);
    for (const std::string& more : {iterations_of(access), callers_of(access)}) {
      if (!more.empty()) lines += folded(more, "        |   ");
    }
    return lines;
  };
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
      if (access.is_in_pattern && access.line == number) text += annotation(access);
    }
  }
  std::string place;
  for (const AccessCost& access : explanation.accesses) {
    if (access.is_in_pattern) continue;
    const std::string other = (access.line == 0 ? "at " : "") + place_of(access);
    if (other != place) text += fmt::format("{}:\n", other);
    place = other;
    text += annotation(access);
  }
  return text;
}

/// The accesses with advice, that with the most beyond its ideal first.
std::vector<const AccessCost*> worst_first(const Explanation& explanation) {
  std::vector<const AccessCost*> order;
  for (const AccessCost& access : explanation.accesses) {
    if (!access.advice.empty()) order.push_back(&access);
  }
  // Without excess: atomics and local memory cost more than their sectors tell.
  std::ranges::stable_sort(order, std::greater(), [](const AccessCost* access) {
    const bool is_slow = access->verb == AccessVerb::atomic || access->space != AccessSpace::global;
    return std::pair(access->excess(), is_slow);
  });
  return order;
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
  const std::vector<const AccessCost*> order = worst_first(explanation);
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
                       {"partial", shape.partial},       {"lanes", shape.lanes},
                       {"repeated", shape.repeated},     {"onward", shape.onward}};
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
  const bool is_shared = access.space == AccessSpace::shared;
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
                       {"joined", access.joined},
                       {"is_uncertain", access.is_uncertain},
                       {"requests", access.requests()}};
  if (is_shared) {
    json.update({{"wavefronts", access.shared.wavefronts},
                 {"conflicts", access.shared.conflicts()},
                 {"bytes_wanted", access.shared.bytes_wanted}});
  } else if (access.space == AccessSpace::remote) {
    json.update({{"bytes_wanted", access.remote.bytes}});
  } else {
    json.update({{"sectors", access.memory.sectors},
                 {"lines", access.memory.lines},
                 {"transactions", access.memory.transactions},
                 {"wavefronts", access.memory.data_wavefronts},
                 {"bytes_wanted", access.memory.bytes_wanted}});
  }
  json.update({{"ideal", access.ideal()},
               {"excess", access.excess()},
               {"efficiency", efficiency_of(access)},
               {"shape", json_of(access.shape)},
               {"advice", access.advice}});
  if (access.space != AccessSpace::remote) json["lanes_per_request"] = access.lanes_per_request();
  json["iterations"] = ordered_json::array();
  for (const AddressShape::Visit& visit : access.iterations()) {
    json["iterations"].push_back({{"requests", visit.requests}, {"cost", visit.cost}});
  }
  json["callers"] = ordered_json::array();
  for (const AccessCost::Caller& caller : access.callers) {
    json["callers"].push_back(
        {{"place", caller.place}, {"requests", caller.requests}, {"cost", caller.cost}});
  }
  return json;
}

}  // namespace

std::string describe_cost(const AccessCost& access, const Explanation& explanation) {
  std::string text =
      fmt::format("{} {}: {}, {}", what_of(access), shortened(access.text, widest_in_list),
                  cost_text(access, explanation.model), remark(access, explanation.model));
  if (!explanation.are_totals) return text;
  return text + fmt::format("; {} {} in all", format_thousands(access.cost()), unit_of(access));
}

std::string write_listing(const Explanation& explanation, bool color) {
  const Style style = color ? colored : Style{};
  std::string text = head(explanation, style);
  for (const std::string& sentence : explanation.prediction) text += folded(sentence, "  ");
  text += source_lines(explanation, style);
  if (explanation.accesses.empty()) return text + "\nNo access to memory was executed.\n";
  return text + worst(explanation, style);
}

std::string write_explanation_json(const Explanation& explanation) {
  const Configuration& configuration = explanation.configuration;
  ordered_json parameters = ordered_json::object();
  for (const auto& [name, value] : configuration.parameters.entries()) {
    parameters[name] = json_of(value);
  }
  const auto [loads, stores, shared] = totals_of(explanation);
  const auto share_of = [](const GlobalCount& count) {
    return count.sectors == 0 ? ordered_json() : ordered_json(efficiency_of(count));
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
                              {{"load_efficiency", share_of(loads)},
                               {"store_efficiency", share_of(stores)},
                               {"shared_conflicts", shared.conflicts()}}},
                             {"prediction", explanation.prediction},
                             {"accesses", accesses}};
  // Sources need not be UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sweep
