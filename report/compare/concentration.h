#pragma once

#include <string>
#include <vector>

#include "report/compare/run_comparison.h"

namespace sweep {

/// What the configurations that changed one way have in common that others have not: "all 12 that
/// are slower have T = double", with "and all that have it are" where it is so; for an integer also
/// "STRIDE >= 8". Said only where so many would hardly agree by chance: were they drawn blindly
/// from all, the probability would be below 1 %.
std::vector<std::string> describe_concentration(const RunComparison& comparison);

}  // namespace sweep
