#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <utility>

#include "engine/backend/backend.h"
#include "engine/cuda/driver.h"

namespace sweep {

/// The last `capacity` values used, by key; the one unused for longest makes way for a new one.
template <class Key, class Value>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

  /// The value of a key, which has now been used; null without one. Valid until it makes way.
  Value* find(const Key& key) {
    const auto found =
        std::ranges::find_if(entries_, [&](const auto& entry) { return entry.first == key; });
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front().second;
  }

  /// Adds a key that is not there, or replaces its value.
  Value& insert(Key key, Value value) {
    erase(key);
    while (entries_.size() >= capacity_) entries_.pop_back();
    entries_.emplace_front(std::move(key), std::move(value));
    return entries_.front().second;
  }

  void erase(const Key& key) {
    entries_.remove_if([&](const auto& entry) { return entry.first == key; });
  }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::size_t capacity_;
  std::list<std::pair<Key, Value>> entries_;  ///< the one used last first
};

/// Whether a program has variables in device memory other than its parameters. They keep what a
/// kernel writes to them for as long as the module is loaded.
bool has_device_variables(const Program& program);

/// The modules of the programs used last, by the programs' identity, so that configurations of
/// several programs may take turns.
class ModuleCache {
 public:
  /// A module as it is after loading: one with variables is loaded anew each time. Valid until
  /// the next call. Throws CudaError.
  const Module& get(const std::shared_ptr<const Program>& program);
  void clear() { modules_.clear(); }
  /// How often a module was loaded so far.
  std::uint64_t loads() const { return loads_; }

  static constexpr std::size_t capacity = 64;

 private:
  struct Loaded {
    Module module;
    bool reusable = false;
  };
  RecentlyUsed<std::shared_ptr<const Program>, Loaded> modules_{capacity};
  std::uint64_t loads_ = 0;
};

}  // namespace sweep
