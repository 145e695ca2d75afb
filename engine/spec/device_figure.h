#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/spec/sweep.h"

namespace sweep {

/// The figures of a device that a parameter may have for its default (`device:` in its header); 0
/// where one is not known.
struct DeviceFigures {
  std::int64_t multiprocessors = 0;
  std::int64_t l2_bytes = 0;
};

/// What headers call them.
std::span<const std::string_view> device_figure_names();

/// Gives the parameters that have a figure of the device for their default the device's own, but
/// not those that the sweep or a `--set` names. Where a figure is not known the written default
/// stays. The space must be enumerated after it when this gives true.
bool apply_device_figures(Sweep& sweep, const DeviceFigures& figures);

}  // namespace sweep
