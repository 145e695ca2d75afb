#include "engine/cli/json_lines.h"

#include <iostream>

#include "report/json_value.h"

namespace sweep {

void print_json_line(const nlohmann::ordered_json& object) {
  std::cout << json_line(object) + '\n' << std::flush;
}

}  // namespace sweep
