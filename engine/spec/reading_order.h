#pragma once

#include "engine/text/diagnostic.h"

namespace sweep {

/// The messages in the order a person reads the files: file after file as first mentioned, within
/// a file from top to bottom.
Diagnostics in_reading_order(const Diagnostics& diagnostics);

}  // namespace sweep
