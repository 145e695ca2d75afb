#pragma once

#include "engine/cli/data_folders.h"
#include "engine/cli/find_database.h"

namespace sweep {

/// Has the emulator count what a run of a database measured on a GPU and did not count. The
/// patterns are those that the database holds; one that includes files has to be found in the
/// folders as it was. Throws CommandError where there is nothing to count, and as Store and
/// CompilePool do.
void count_results(const RunOperand& operand, const GivenFolders& folders);

}  // namespace sweep
