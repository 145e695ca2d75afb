#pragma once

#include "engine/emulator/count/model.h"

/// The rules from 5.0 on and those of atomics as they were measured, without regard to speed.
namespace sweep::testing {

/// `transactions`, `sectors` and wavefronts of loads and stores are those from 5.0 on.
GlobalCount plain_global(const WarpAccess& access, AccessKind kind);
SharedCount plain_shared(const WarpAccess& access, AccessKind kind);

}  // namespace sweep::testing
