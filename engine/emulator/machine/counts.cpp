#include "engine/emulator/machine/counts.h"

namespace sweep {

LaunchCount& LaunchCount::operator+=(const LaunchCount& other) {
  if (sites.size() < other.sites.size()) sites.resize(other.sites.size());
  for (std::size_t i = 0; i < other.sites.size(); ++i) sites[i] += other.sites[i];
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  add_shapes(other);
  return *this;
}

void LaunchCount::add_shapes(const LaunchCount& other) {
  if (shapes.size() < other.shapes.size()) shapes.resize(other.shapes.size());
  for (std::size_t i = 0; i < other.shapes.size(); ++i) shapes[i] += other.shapes[i];
}

}  // namespace sweep
