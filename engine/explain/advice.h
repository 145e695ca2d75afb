#pragma once

#include <span>
#include <string>

#include "engine/emulator/count/model.h"
#include "engine/explain/access_cost.h"

namespace sweep {

/// What would make an access cheaper, in one or two sentences drawn from its counts and addresses
/// alone; empty when nothing is known to help. `all` are the kernel's accesses, this one among
/// them: they tell fields of one structure from lone strides.
std::string advise(const AccessCost& access, std::span<const AccessCost> all,
                   const MemoryModel& model);

}  // namespace sweep
