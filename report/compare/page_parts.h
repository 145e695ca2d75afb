#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// The style of a comparison's page: light or dark as the reader's system is, narrow or wide.
std::string_view comparison_style();
/// What sorts and filters its table. Without it the page can be read all the same.
std::string_view comparison_script();

}  // namespace sweep
