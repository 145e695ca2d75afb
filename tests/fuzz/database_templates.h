#pragma once

#include <string>

namespace sweep::fuzz {

/// The bytes of the valid results database of this letter; see edited_database.
const std::string& database_template(char letter);

}  // namespace sweep::fuzz
