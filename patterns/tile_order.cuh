// Which tiles a block takes, one after another - the order in which all blocks together walk memory.
#pragma once

// Order 0 gives neighbouring blocks neighbouring tiles at every turn. Order 1 gives each block a
// stretch of its own. Order 2 is order 0 for the multiprocessors: blocks that are a whole round of
// multiprocessors apart begin on the same one, and get neighbouring tiles.
// Tiles that follow each other in this order lie in `slices` equal parts of memory in turn.
// The grid has at most one block for each tile, and fewer only where blocks take several.
template <int order, uint32_t slices, uint32_t tiles, uint32_t multiprocessors>
class TileWalk {
 public:
  __device__ TileWalk() : at_(blockIdx.x), end_(tiles) {
    if constexpr (order == 1) {
      at_ = uint32_t(uint64_t(blockIdx.x) * tiles / gridDim.x);
      end_ = uint32_t(uint64_t(blockIdx.x + 1) * tiles / gridDim.x);
    }
    if constexpr (order == 2) {
      const uint32_t on_each = gridDim.x / multiprocessors;
      // What is left over of a grid that is no whole rounds of them keeps its place.
      if (at_ < on_each * multiprocessors) {
        at_ = at_ % multiprocessors * on_each + at_ / multiprocessors;
      }
    }
  }

  // The tile of this turn.
  __device__ uint32_t tile() const { return tile_at(0); }
  // That of a later one.
  __device__ uint32_t tile_at(uint32_t turn) const {
    const uint32_t place = at_ + turn * step();
    return slices == 1 ? place : place % slices * (tiles / slices) + place / slices;
  }
  // How many turns there are from this one on.
  __device__ uint32_t turns() const { return (end_ - at_ + step() - 1) / step(); }
  // Goes on to the next turn; false when there is none.
  __device__ bool go_on() {
    at_ += step();
    return at_ < end_;
  }

 private:
  __device__ static uint32_t step() { return order == 1 ? 1 : gridDim.x; }

  uint32_t at_;
  uint32_t end_;
};

// Where a thread's first element lies in a tile of `block` * `items` elements when its elements are
// `apart` apart: warps, or groups of `apart` threads, have stretches of the tile.
template <uint32_t apart, uint32_t block, uint32_t items>
__device__ uint32_t place_in_tile() {
  if constexpr (apart == block) return threadIdx.x;
  return threadIdx.x / apart * (apart * items) + threadIdx.x % apart;
}
