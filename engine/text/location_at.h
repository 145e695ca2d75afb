#pragma once

#include "engine/text/source.h"

namespace sweep {

/// The place of `length` bytes that begin at the byte `offset` of the source.
Location location_at(const SourcePtr& source, std::size_t offset, std::size_t length = 1);

}  // namespace sweep
