// wgmma and setmaxnreg: what the warps of a warpgroup execute together.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

/// Matrices in shared memory are read in pieces of so many bytes.
constexpr std::uint64_t chunk_bytes = 16;
/// Lines, or places along k, that make a core matrix.
constexpr std::uint64_t core_lines = 8;
/// Of a line, or of a place along k of 8 lines, in a swizzled matrix.
constexpr std::uint64_t longest_swizzle = 128;

/// What a matrix descriptor says (PTX ISA, "Matrix Descriptor Format"), in bytes.
struct SharedMatrix {
  std::uint64_t start = 0;
  std::uint64_t leading = 0;
  std::uint64_t stride = 0;
  std::uint64_t base_offset = 0;  ///< of the pattern of swizzling, in rows of 128 bytes
  std::uint64_t swizzle = 0;      ///< 32, 64 or 128; 16: none
};

SharedMatrix matrix_of(std::uint64_t descriptor) {
  constexpr std::array<std::uint64_t, 4> swizzles = {16, 128, 64, 32};
  const auto field = [&](unsigned first) { return (descriptor >> first & 0x3fff) << 4; };
  return {field(0), field(16), field(32), descriptor >> 49 & 7, swizzles.at(descriptor >> 62)};
}

/// The address bits that choose a piece of 16 bytes are combined with those that count the rows of
/// 128 bytes.
std::uint64_t swizzled_place(const SharedMatrix& matrix, std::uint64_t address) {
  const std::uint64_t row = (address >> 7) - matrix.base_offset;
  return address ^ (row & (matrix.swizzle / chunk_bytes - 1)) << 4;
}

/// Where 16 bytes of the first of 8 lines lie, `part` such behind its begin, but for swizzling.
/// The others follow as far apart as the swizzle is wide.
std::uint64_t begin_of_lines(const SharedMatrix& matrix, std::uint64_t eight, std::uint64_t part) {
  const bool is_plain = matrix.swizzle == chunk_bytes;
  return matrix.start + eight * matrix.stride + part * (is_plain ? matrix.leading : chunk_bytes);
}

/// The same of elements of 8 neighbouring lines at the first of 8 places along k.
std::uint64_t begin_across(const SharedMatrix& matrix, std::uint64_t eight, std::uint64_t part) {
  const std::uint64_t abreast = matrix.swizzle / chunk_bytes;  // a power of 2
  const bool is_plain = abreast == 1;
  return matrix.start + (eight & (abreast - 1)) * chunk_bytes +
         (eight >> std::countr_zero(abreast)) * (is_plain ? matrix.stride : matrix.leading) +
         part * (is_plain ? matrix.leading : matrix.stride);
}

std::uint64_t begin_of(const SharedMatrix& matrix, bool is_across, std::uint64_t eight,
                       std::uint64_t part) {
  return is_across ? begin_across(matrix, eight, part) : begin_of_lines(matrix, eight, part);
}

/// A line of a factor has so many pieces, one of b twice as many where a is sparse.
constexpr std::uint64_t parts_of_factor = 2;
std::uint64_t parts_of_b(const MatrixProduct& product) {
  return product.is_sparse ? 2 * parts_of_factor : parts_of_factor;
}

/// Of each piece one byte is looked at for races, as there are so many: another of every piece.
std::uint64_t judged_byte(std::uint64_t piece) {
  return piece + piece / chunk_bytes % chunk_bytes;
}

}  // namespace

void AccessUnit::join_warpgroup(std::uint32_t mask, const Warpgroups::Descriptors& descriptors) {
  require_whole_warp(mask);
  const std::uint64_t group = warp_->index / Warpgroups::warps_of_group;
  constexpr std::uint64_t threads = std::uint64_t{Warpgroups::warps_of_group} * warp_size;
  if (launch_.block.count() < (group + 1) * threads) {
    fail(0, "a warpgroup is four whole warps; of its own the block has {} threads",
         launch_.block.count() - group * threads);
  }
  require(warpgroups_->join(warp_->index, op_->instruction, descriptors));
}

/// Throws what the running op does wrong, if anything.
void AccessUnit::require(const std::optional<Warpgroups::Mistake>& mistake) const {
  if (mistake) fail_with(0, mistake->what);
}

/// The descriptor in a register, which all lanes agree on.
std::uint64_t AccessUnit::descriptor_at(std::uint32_t slot) const {
  if (slot == none) return 0;
  const auto* const values = warp_->slot<std::uint64_t>(slot);
  for (unsigned lane = 1; lane < warp_size; ++lane) {
    if (values[lane] != values[0]) {
      fail(lane, "its descriptor {:#x} is not that of lane 0, {:#x}", std::uint64_t{values[lane]},
           std::uint64_t{values[0]});
    }
  }
  return values[0];
}

/// Copies a matrix of `lines` lines from the first on, of a descriptor, to registers as mma.sync
/// has them (MatrixProduct), in tiles of `tile_lines`; a line has so many `parts` of 16 bytes.
void AccessUnit::gather_matrix(std::uint64_t descriptor, bool is_across, std::uint64_t first,
                               std::uint64_t lines, std::uint64_t tile_lines, std::uint64_t parts,
                               std::byte* to) {
  constexpr std::uint64_t register_bytes = core_lines * chunk_bytes;
  const SharedMatrix matrix = matrix_of(descriptor);
  const bool is_swizzled = !is_across && matrix.swizzle > chunk_bytes;
  if (is_swizzled && parts * chunk_bytes > matrix.swizzle) {
    fail(0, "its matrix has {} bytes along k, but is swizzled by {}", parts * chunk_bytes,
         matrix.swizzle);
  }
  // A register has a part of each of 8 lines.
  const std::uint64_t eights = lines / core_lines;
  const std::byte* const memory = shared_.data();
  const std::uint64_t size = shared_bytes_;
  const bool is_tile_of_two = tile_lines != core_lines;
  for (std::uint64_t eight = 0; eight < eights; ++eight) {
    for (std::uint64_t part = 0; part < parts; ++part) {
      // Those of a tile's further lines come before what is further along.
      const std::uint64_t number = is_tile_of_two
                                       ? (eight & ~std::uint64_t{1}) * parts + part * 2 + eight % 2
                                       : eight * parts + part;
      std::byte* words = to + number * register_bytes;
      std::uint64_t address = begin_of(matrix, is_across, first / core_lines + eight, part);
      for (std::uint64_t row = 0; row < core_lines; ++row, words += chunk_bytes) {
        const std::uint64_t place = swizzled_place(matrix, address);
        address += matrix.swizzle;
        if (!is_inside(place, chunk_bytes, size)) {
          fail(0,
               "out of bounds: its descriptor leads to byte {} of shared memory, of which the "
               "block has {}",
               place, shared_bytes_);
        }
        std::memcpy(words, memory + place, chunk_bytes);
      }
    }
  }
  for (std::uint64_t i = 0; is_across && i < eights * parts; ++i) {
    transpose_matrix(reinterpret_cast<std::uint32_t*>(to + i * register_bytes));
  }
}

/// Looks for races of the same matrix. Of what all warps of the warpgroup read, each answers for a
/// quarter.
void AccessUnit::judge_matrix(std::uint64_t descriptor, bool is_across, std::uint64_t first,
                              std::uint64_t lines, std::uint64_t parts, bool is_of_all) {
  if (races_ == nullptr) return;
  const std::uint64_t elements_along = parts * 8;  // of 16 bits, as those across the lines have
  const SharedMatrix matrix = matrix_of(descriptor);
  const std::uint64_t eights = lines / core_lines;
  // Rows of shared memory: lines, or places along k.
  const std::uint64_t rows = is_across ? elements_along : lines;
  const std::uint64_t in_row = is_across ? eights : parts;
  const std::uint64_t share = is_of_all ? rows / Warpgroups::warps_of_group : rows;
  const std::uint64_t begin = is_of_all ? warp_->index % Warpgroups::warps_of_group * share : 0;
  for (std::uint64_t row = begin; row < begin + share; ++row) {
    for (std::uint64_t i = 0; i < in_row; ++i) {
      const std::uint64_t far = row / core_lines;
      const std::uint64_t line = first / core_lines + (is_across ? i : far);
      const std::uint64_t place =
          swizzled_place(matrix, begin_of(matrix, is_across, line, is_across ? far : i) +
                                     row % core_lines * matrix.swizzle);
      const std::uint64_t byte = judged_byte(place);
      note_shared(byte, 1, 0, AccessKind::load, nullptr);
      check_visible(0, rank_ * shared_bytes_ + byte, 1, racer(*warp_), "it");
      late_reads_.back().places.push_back(place);
    }
  }
}

/// The matrix b of a product, which may have been converted for another warp; if not, its registers
/// are at `to`.
ConvertedFactor& AccessUnit::gather_factor(const MatrixOp& op, std::uint64_t descriptor,
                                           std::byte* to) {
  constexpr std::size_t most_kept = 8;  // as many as there usually are between two waits
  if (kept_factors_.empty()) kept_factors_.resize(most_kept);
  for (KeptFactor& kept : kept_factors_) {
    const bool is_same = kept.converted.is_there && kept.op == &op &&
                         kept.descriptor == descriptor &&
                         kept.shared_writes == cluster_.shared_writes;
    if (is_same) return kept.converted;
  }
  KeptFactor& kept = kept_factors_[next_kept_++ % most_kept];
  gather_matrix(descriptor, op.is_b_across, 0, op.product.n, core_lines, parts_of_b(op.product),
                to);
  kept.descriptor = descriptor;
  kept.shared_writes = cluster_.shared_writes;
  kept.op = &op;
  kept.converted.is_there = false;
  return kept.converted;
}

void AccessUnit::multiply_warpgroup(std::uint32_t mask) {
  const MatrixOp& op = kernel_.matrix_products[op_->detail];
  require_whole_warp(mask);
  const Warpgroups::Descriptors descriptors = {descriptor_at(op.a_descriptor),
                                               descriptor_at(op.b_descriptor)};
  join_warpgroup(mask, descriptors);
  const std::uint32_t scale = warp_->predicate(op.scale_d);
  if (scale != 0 && scale != full_mask) {
    fail(lowest_lane(~scale), "its scale-d is false, but true in lane {}", lowest_lane(scale));
  }
  if (races_ != nullptr) {
    // Of a kernel that never waits the oldest are forgotten.
    constexpr std::size_t most_reads = 4096;
    if (late_reads_.size() == most_reads) late_reads_.erase(late_reads_.begin());
    late_reads_.push_back(
        {warp_->index, warpgroups_->group_of_next(warp_->index), writes_, op_, {}});
  }
  require(warpgroups_->issue(warp_->index, *op_));
  MatrixProduct product = op.product;
  constexpr std::uint64_t row_bytes = parts_of_factor * chunk_bytes;
  alignas(64) std::array<std::byte, row_bytes * 16> a;                       // NOLINT
  alignas(64) std::array<std::byte, 2 * row_bytes * most_matrix_columns> b;  // NOLINT
  if (product.is_sparse) check_metadata(op);
  if (op.a_descriptor != none) {
    const std::uint64_t first =
        std::uint64_t{warp_->index % Warpgroups::warps_of_group} * product.m;
    gather_matrix(descriptors.first, op.is_a_across, first, product.m, product.m, parts_of_factor,
                  a.data());
    judge_matrix(descriptors.first, op.is_a_across, first, product.m, parts_of_factor, false);
    product.gathered_a = a.data();
  }
  product.converted_b = &gather_factor(op, descriptors.second, b.data());
  judge_matrix(descriptors.second, op.is_b_across, 0, product.n, parts_of_b(product), true);
  product.gathered_b = b.data();
  product.a = op.a.data();
  product.c = scale != 0 ? op.c.data() : nullptr;
  product.d = op.d.data();
  op.multiply(product, warp_->registers);
}

void AccessUnit::order_warpgroup(std::uint32_t mask) {
  join_warpgroup(mask, {});
  const WarpgroupOrder& order = kernel_.warpgroup_orders[op_->detail];
  warpgroups_->order(warp_->index, order);
  if (races_ == nullptr) return;
  const std::uint64_t group =
      racing_barrier(barriers_of_block + warp_->index / Warpgroups::warps_of_group);
  const bool waits = order.mode == WarpgroupMode::wait;
  if (waits) races_->acquire_from(group, racer(*warp_));
  if (waits && !late_reads_.empty()) finish_reads();
  // Also what has just been finished for the others.
  if (!waits && order.mode != WarpgroupMode::commit) return;
  races_->synchronise_warp(racer(*warp_), order_);
  races_->release_to(group, racer(*warp_), order_);
}

/// Products that have been waited for have read their matrices up to now: whoever has overwritten
/// them meanwhile was too early.
void AccessUnit::finish_reads() {
  const Op* const waiting = op_;
  const auto finish = [&](const LateRead& read) {
    const bool is_own = Warpgroups::are_one(read.warp, warp_->index);
    if (!is_own || !warpgroups_->is_done(warp_->index, read.group)) return false;
    if (read.writes == writes_) return true;
    op_ = read.op;
    for (const std::uint64_t place : read.places) {
      note_shared(judged_byte(place), 1, 0, AccessKind::load, nullptr);
    }
    return true;
  };
  std::erase_if(late_reads_, finish);
  op_ = waiting;
}

/// wgmma.wait_group: a group is the warpgroup's, so that all of its warps must have come so far.
bool BlockRun::wait_for_warpgroup(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const WarpgroupOrder& wait = kernel_.warpgroup_orders[block.op.detail];
  const bool is_there = std::ranges::all_of(warps_, [&](const Warp& other) {
    return other.live == 0 || !Warpgroups::are_one(other.index, warp.index) ||
           warpgroups_->has_committed(other.index, warp.index, wait);
  });
  if (!is_there) {
    uncount(block, fragment.mask, true);
    fragment.state = Fragment::State::parked;
    warp.add(kernel_, fragment);
    return false;
  }
  execute(warp, block.op, fragment.mask);
  fragment.block = block.next;
  return true;
}

void AccessUnit::check_warpgroups() const {
  if (warpgroups_ == nullptr) return;
  const auto absence = warpgroups_->find_absence();
  if (!absence) return;
  Warp absent;
  absent.index = absence->warp;
  fail_at(absent, 0, absence->mistake.instruction, absence->mistake.what);
}

}  // namespace sweep
