#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace sweep {

/// A page with more points than this has its columns packed, so that it stays small enough to open.
constexpr std::size_t most_plain_points = 20'000;

/// Places in a list, one per point, -1 for none: a list of numbers; of many points an object with
/// all of them, one greater, as one text, `digits` of 64 kinds (0-9, A-Z, a-z, - and _) each.
nlohmann::ordered_json packed_places(const std::vector<std::int64_t>& places);

/// Figures, one per point: a list; of many points that have few different ones an object of these,
/// `values`, and of their places, as packed_places writes them.
nlohmann::ordered_json packed_figures(std::vector<nlohmann::ordered_json> figures);

}  // namespace sweep
