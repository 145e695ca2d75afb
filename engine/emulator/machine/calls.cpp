// Calls: printf, assert, alloca, and functions that call themselves. Their arguments lie in the
// calling thread's local memory.

#include <fmt/printf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/emulator/machine/block_run.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr std::uint64_t longest_text = 4096;

/// One conversion of a format string: its text without a length modifier, and what it wants.
struct Conversion {
  std::string text;
  std::size_t stars = 0;  ///< widths and precisions that are arguments
  char type = 0;
  unsigned bytes = 4;
};

/// Reads the conversion that begins at the '%' and moves past it.
Conversion read_conversion(const std::string& format, std::size_t& at) {
  Conversion conversion;
  conversion.text = "%";
  ++at;
  while (at < format.size() && std::strchr("-+ #0123456789.*", format[at]) != nullptr) {
    if (format[at] == '*') ++conversion.stars;
    conversion.text += format[at++];
  }
  while (at < format.size() && std::strchr("hlLzjtq", format[at]) != nullptr) {
    if (format[at] != 'h') conversion.bytes = 8;
    ++at;
  }
  if (at == format.size()) return conversion;
  conversion.type = format[at++];
  if (std::strchr("fFeEgGaAsp", conversion.type) != nullptr) conversion.bytes = 8;
  conversion.text += conversion.type;
  return conversion;
}

std::string converted(const Conversion& conversion, std::uint64_t bits, const std::string& text) {
  const std::string& format = conversion.text;
  const auto printed = [&](const auto& value) { return fmt::sprintf(format, value); };
  const char type = conversion.type;
  // A width or precision of more digits than any text needs.
  constexpr int many_digits = 5;
  const bool is_too_wide = std::search_n(format.begin(), format.end(), many_digits, '0',
                                         [](char c, char) { return is_digit(c); }) != format.end();
  if (is_too_wide) return format;
  try {
    if (type == 's') return printed(text);
    if (type == 'c') return printed(static_cast<char>(bits));
    if (type == 'p') return fmt::format("{:#x}", bits);
    if (std::strchr("fFeEgGaA", type) != nullptr) return printed(std::bit_cast<double>(bits));
    if ((type == 'd' || type == 'i') && conversion.bytes == 4) {
      return printed(static_cast<std::int32_t>(bits));
    }
    if (type == 'd' || type == 'i') return printed(static_cast<std::int64_t>(bits));
    return printed(bits);
  } catch (const fmt::format_error&) {
    return format;
  }
}

}  // namespace

std::uint64_t AccessUnit::argument(std::uint64_t offset, unsigned lane, unsigned bytes) const {
  std::uint64_t value = 0;
  if (is_inside(offset, bytes, local_bytes_)) std::memcpy(&value, local(lane) + offset, bytes);
  return value;
}

/// The text at a global address up to its zero.
std::string AccessUnit::text_at(std::uint64_t address) const {
  const Allocation* allocation = launch_.memory->find(address);
  if (allocation == nullptr) return {};
  const std::uint64_t begin = address - allocation->base;
  const std::uint64_t most = std::min(longest_text, allocation->bytes - begin);
  if (allocation->lazy != nullptr) allocation->lazy->ensure(&begin, most, 1);
  const auto* text = reinterpret_cast<const char*>(allocation->host + begin);
  return {text, strnlen(text, most)};
}

void AccessUnit::print(unsigned lane) {
  const CallOp& call = kernel_.calls[op_->detail];
  const std::string format = text_at(argument(base_of(call, lane) + call.arguments[0], lane, 8));
  std::uint64_t next = argument(base_of(call, lane) + call.arguments[1], lane, 8) - local_window;
  std::string text;
  std::uint32_t count = 0;
  const auto take = [&](unsigned bytes) {
    next = (next + bytes - 1) / bytes * bytes;
    const std::uint64_t bits = argument(next, lane, bytes);
    next += bytes;
    ++count;
    return bits;
  };
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    Conversion conversion = read_conversion(format, at);
    if (conversion.type == '%' || conversion.type == '\0') {
      text += conversion.type == '%' ? "%" : conversion.text;
      continue;
    }
    for (; conversion.stars > 0; --conversion.stars) {
      const auto number = static_cast<std::int32_t>(take(4));
      conversion.text.replace(conversion.text.find('*'), 1, std::to_string(number));
    }
    const std::uint64_t bits = take(conversion.bytes);
    text += converted(conversion, bits, conversion.type == 's' ? text_at(bits) : "");
  }
  if (launch_.print) launch_.print(text);
  if (call.result == none) return;
  const std::uint64_t result = base_of(call, lane) + call.result;
  if (!is_inside(result, sizeof count, local_bytes_)) return;
  std::memcpy(local(lane) + result, &count, sizeof count);
  if (undefined_ != nullptr) {
    undefined_->define({false, result, thread_of(lane)}, sizeof count);
  }
}

void AccessUnit::assert_fail(std::uint32_t mask) const {
  const unsigned lane = lowest_lane(mask);
  const CallOp& call = kernel_.calls[op_->detail];
  const std::uint64_t condition = base_of(call, lane) + call.arguments[0];
  fail(lane, "assert({}) failed", text_at(argument(condition, lane, 8)));
}

/// Arguments and results are copied between the caller's variables and the callee's; what a caller
/// needs again is kept behind its variables, and its callee's lie behind that.
void AccessUnit::move_frame(unsigned lane) {
  using Kind = FrameMove::Kind;
  const FrameMove& move = kernel_.frame_moves[op_->detail];
  std::uint64_t& base = warp_->slot<std::uint64_t>(move.base)[lane];
  if (move.kind == Kind::enter) base = kernel_.call_stack;
  if (move.kind == Kind::pop) base -= move.size;
  const bool is_within = move.kind == Kind::push || move.kind == Kind::pop;
  const std::uint64_t inner_base = is_within ? base + move.size : base;
  if (inner_base + move.size > kernel_.local_bytes) {
    fail(lane,
         "the thread's stack overflows: a call takes {} of its {} bytes, and {} of the function "
         "are under way",
         move.size, call_stack_bytes, (base - kernel_.call_stack) / move.size + 1);
  }
  std::byte* const memory = local(lane);
  for (const FrameMove::Copy& copy : move.copies) {
    const std::uint64_t outer = (is_within ? base : 0) + copy.outer;
    const std::uint64_t inner = inner_base + copy.inner;
    const bool is_argument = move.kind == Kind::enter || move.kind == Kind::push;
    const std::uint64_t to = is_argument ? inner : outer;
    std::memcpy(memory + to, memory + (is_argument ? outer : inner), copy.bytes);
    if (undefined_ != nullptr) undefined_->define({false, to, thread_of(lane)}, copy.bytes);
  }
  std::byte* at = memory + base + move.kept_at;
  for (const FrameMove::Kept& kept : move.kept) {
    if (move.kind == Kind::push) {
      const std::uint64_t value = kept.bits == 1 ? warp_->predicate(kept.slot) >> lane & 1
                                                 : warp_->value(kept.slot, kept.bits, lane);
      std::memcpy(at, &value, sizeof value);
    } else {
      std::uint64_t value = 0;
      std::memcpy(&value, at, sizeof value);
      if (kept.bits == 1) {
        warp_->set_predicate(kept.slot, bit_of(lane), value != 0 ? full_mask : 0);
      } else {
        warp_->set_value(kept.slot, kept.bits, lane, value);
      }
    }
    at += sizeof(std::uint64_t);
  }
  if (move.kind == Kind::push) base = inner_base;
}

void AccessUnit::stack_allocate(unsigned lane) {
  constexpr std::uint64_t alignment = 16;
  const CallOp& call = kernel_.calls[op_->detail];
  std::uint64_t& top = stack_[thread_of(lane)];
  warp_->slot<std::uint64_t>(call.d)[lane] = top;
  if (call.a == none) return;
  const std::uint64_t size = warp_->slot<std::uint64_t>(call.a)[lane];
  if (size > local_bytes_ - top) {
    fail(lane, "alloca of {} bytes: the thread has {} left", size, local_bytes_ - top);
  }
  top = std::min((top + size + alignment - 1) / alignment * alignment, local_bytes_);
}

void AccessUnit::stack_restore(unsigned lane) {
  const std::uint64_t to = warp_->slot<std::uint64_t>(kernel_.calls[op_->detail].a)[lane];
  if (to < kernel_.local_bytes || to > local_bytes_) {
    fail(lane, "the stack is set back to {}", to);
  }
  stack_[thread_of(lane)] = to;
}

}  // namespace sweep
