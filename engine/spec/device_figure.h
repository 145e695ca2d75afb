#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/spec/sweep.h"

namespace sweep {

/// The figures of a device that a parameter may have for its default (`device:` in its header).
std::span<const std::string_view> device_figure_names();

/// Gives the parameters that have a figure of the device for their default the device's own, but
/// not those that the sweep or a `--set` names. `figure_of` gives the value of a name, 0 where it
/// is not known: the written default stays. The space must be enumerated after it when this gives
/// true.
bool apply_device_figures(Sweep& sweep,
                          const std::function<std::int64_t(std::string_view)>& figure_of);

}  // namespace sweep
