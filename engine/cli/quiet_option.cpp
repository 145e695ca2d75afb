#include "engine/cli/quiet_option.h"

namespace sweep {

void add_quiet_option(CommandLine& line, const char* help) {
  line.options()("quiet,q", help);
}

bool is_quiet(const boost::program_options::variables_map& values) {
  return values.count("quiet") != 0;
}

}  // namespace sweep
