#pragma once

#include <iosfwd>

#include "engine/emulator/count/model.h"

namespace sweep {

std::ostream& operator<<(std::ostream& out, const WarpAccess& access);
std::ostream& operator<<(std::ostream& out, const GlobalCount& count);
std::ostream& operator<<(std::ostream& out, const SharedCount& count);

namespace testing {

/// A random access aligned to its width: affine, gathered, with repeated or paired addresses, of
/// all lanes or some.
WarpAccess any_access();
WarpAccess any_access_of(std::uint32_t width);
/// One of the known models or their relatives, with random settings.
MemoryModel any_model();
AccessKind any_kind();

/// An access of all lanes: lane t at base + t * step.
WarpAccess affine(std::int64_t base, std::int64_t step, std::uint32_t width,
                  std::uint32_t active = ~0U);

}  // namespace testing
}  // namespace sweep
