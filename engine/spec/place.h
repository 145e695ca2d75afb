#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sweep {

/// Where a buffer lies: in the memory of the GPU that launches the kernel, or elsewhere.
enum class Place {
  device,
  peer,                 ///< the memory of another GPU
  host,                 ///< pinned memory of the host
  host_write_combined,  ///< the same, past the host's caches
  managed,              ///< pages that move to who touches them, and lie on the device at first
  managed_peer,         ///< the same, on another GPU at first
  managed_host,         ///< the same, on the host at first
  compressed,           ///< the device's memory, which its L2 may compress
};

/// What headers and sweeps call them.
inline constexpr std::array<std::string_view, 8> place_names = {
    "device",  "peer",         "host",         "host_write_combined",
    "managed", "managed_peer", "managed_host", "compressed"};

constexpr std::string_view to_string(Place place) {
  return place_names.at(static_cast<std::size_t>(place));
}
constexpr std::optional<Place> find_place(std::string_view name) {
  for (std::size_t i = 0; i < place_names.size(); ++i) {
    if (place_names.at(i) == name) return static_cast<Place>(i);
  }
  return std::nullopt;
}

/// Whether the memory, or where pages lie at first, is another GPU's.
constexpr bool is_of_peer(Place place) {
  return place == Place::peer || place == Place::managed_peer;
}
constexpr bool is_of_host(Place place) {
  return place == Place::host || place == Place::host_write_combined ||
         place == Place::managed_host;
}
constexpr bool is_managed(Place place) {
  return place >= Place::managed && place <= Place::managed_host;
}
/// Whether it is reached over a link at first.
constexpr bool is_far(Place place) {
  return is_of_peer(place) || is_of_host(place);
}

}  // namespace sweep
