#pragma once

namespace sweep {

/// `sweep --help`: the commands and the topics there are.
void print_help();

}  // namespace sweep
