#include "engine/run/compiler_threads.h"

#include <sys/resource.h>
#include <unistd.h>

namespace sweep {

void lower_own_priority() {
  constexpr int nicer = 5;
  // A priority is a thread's own on Linux; 0 is the one that asks.
  const int own = getpriority(PRIO_PROCESS, 0);
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), own + nicer);
}

}  // namespace sweep
