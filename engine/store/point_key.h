#pragma once

#include <string>

#include "engine/store/record.h"

namespace sweep {

/// The key as one text. Equal keys have equal texts and different keys different ones: every part
/// is preceded by its length.
std::string key_text(const PointKey& key);

/// The XXH3-128 of the key's text in 32 hexadecimal digits: finds a key's points quickly. Whether
/// the keys are equal is still to be checked.
std::string key_hash(const PointKey& key);

}  // namespace sweep
