#pragma once

#include <string>

#include "engine/text/diagnostic.h"

namespace sweep {

/// What messages have in common that differ in their figures alone: many configurations make the
/// same mistake, each with numbers of its own.
std::string gist_of(const Diagnostic& message);

}  // namespace sweep
