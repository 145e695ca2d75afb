#include "engine/spec/compiler_file_name.h"

#include <algorithm>

namespace sweep {

std::string compiler_file_name(std::string name) {
  std::ranges::replace_if(
      name,
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return c == '"' || c == '\\' || byte < 0x20 || byte == 0x7F;
      },
      '_');
  return name;
}

}  // namespace sweep
