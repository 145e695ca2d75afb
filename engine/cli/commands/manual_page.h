#pragma once

#include <string>

namespace sweep {

/// The manual page sweep(1) as roff with the macros of man(7), made from the commands' tables.
std::string manual_page();

}  // namespace sweep
