#pragma once

#include <string_view>

namespace sweep {

/// The style of a comparison's page: light or dark as the reader's system is, narrow or wide.
std::string_view comparison_style();

}  // namespace sweep
