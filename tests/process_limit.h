#pragma once

#include <sys/resource.h>

namespace sweep {

/// Limits a resource, such as RLIMIT_FSIZE, of this process and its children for good.
inline void limit_process(int resource, rlim_t most) {
  const rlimit limit = {most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

}  // namespace sweep
