#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/emulator/machine/address_space.h"
#include "engine/emulator/machine/element_function.h"
#include "engine/emulator/machine/touched_bytes.h"

namespace sweep {

/// A buffer's first values, computed by its init function for the elements that are reached, when
/// they are reached first. Several threads may reach for them.
class LazyValues : public LazyInit {
 public:
  using MakeFunction = std::function<std::unique_ptr<ElementFunction>()>;

  /// `make_init` gives the function, for this thread's use. The buffers of one execution share the
  /// mutex, since their init functions may read each other's values.
  LazyValues(Allocation& allocation, std::uint64_t length, MakeFunction make_init,
             std::recursive_mutex& mutex);
  ~LazyValues() override;
  LazyValues(const LazyValues&) = delete;
  LazyValues& operator=(const LazyValues&) = delete;

  void ensure(const std::uint64_t* begin, std::uint64_t count, std::uint32_t mask) override;
  /// Computes all that is missing, with so many threads; accesses pass without a look from then on.
  /// Throws KernelFault.
  void complete(unsigned threads);

 private:
  std::vector<std::uint64_t> missing_elements(const std::uint64_t* begin, std::uint64_t count,
                                              std::uint32_t mask) const;
  bool are_known(std::uint64_t begin, std::uint64_t count) const;

  Allocation& allocation_;
  std::uint64_t length_;
  MakeFunction make_init_;
  std::unique_ptr<ElementFunction> init_;
  TouchedBytes known_;  ///< one for each element
  std::recursive_mutex& mutex_;
};

}  // namespace sweep
