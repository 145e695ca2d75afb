#pragma once

#include <string>
#include <string_view>

#include "engine/text/diagnostic.h"

namespace sweep {

/// Diagnostics as bytes. Places in `source`, or in one equal to it, are stored without its text;
/// those in other sources with the name and text of theirs.
std::string diagnostic_bytes(const Diagnostics& diagnostics, const SourcePtr& source);

/// The same diagnostics again, with places in `source`. Throws DamagedBytes.
Diagnostics diagnostics_of(std::string_view bytes, const SourcePtr& source);

}  // namespace sweep
