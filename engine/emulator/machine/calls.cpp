// printf, assert and alloca. Their arguments lie in the calling thread's local memory.

#include <fmt/format.h>
#include <fmt/printf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/emulator/machine/access_unit.h"
#include "engine/emulator/machine/fault.h"
#include "engine/emulator/machine/thread_place.h"

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

/// Whether a width or precision has more digits than any text needs.
bool is_too_wide(const std::string& conversion) {
  constexpr std::ptrdiff_t most_digits = 4;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto at = conversion.begin(); at != conversion.end();) {
    const auto begin = std::find_if(at, conversion.end(), is_digit);
    at = std::find_if_not(begin, conversion.end(), is_digit);
    if (at - begin > most_digits) return true;
  }
  return false;
}

std::string converted(const Conversion& conversion, std::uint64_t bits, const std::string& text) {
  if (is_too_wide(conversion.text)) return conversion.text;
  try {
    switch (conversion.type) {
      case 'd':
      case 'i':
        return conversion.bytes == 8
                   ? fmt::sprintf(conversion.text, static_cast<std::int64_t>(bits))
                   : fmt::sprintf(conversion.text, static_cast<std::int32_t>(bits));
      case 'c':
        return fmt::sprintf(conversion.text, static_cast<char>(bits));
      case 's':
        return fmt::sprintf(conversion.text, text);
      case 'p':
        return fmt::format("{:#x}", bits);
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        return fmt::sprintf(conversion.text, std::bit_cast<double>(bits));
      default:
        return fmt::sprintf(conversion.text, bits);
    }
  } catch (const fmt::format_error&) {
    return conversion.text;
  }
}

}  // namespace

std::uint64_t AccessUnit::argument(const Warp& warp, std::uint32_t offset, unsigned lane,
                                   unsigned bytes) const {
  std::uint64_t value = 0;
  if (std::uint64_t{offset} + bytes <= local_bytes_)
    std::memcpy(&value, local(warp, lane) + offset, bytes);
  return value;
}

/// The text at a global address up to its zero.
std::string AccessUnit::text_at(std::uint64_t address) const {
  const Allocation* allocation = launch_.memory->find(address);
  std::string text;
  if (allocation != nullptr && allocation->lazy != nullptr) {
    const std::uint64_t begin = address - allocation->base;
    allocation->lazy->ensure(&begin, std::min(longest_text, allocation->bytes - begin), 1);
  }
  while (allocation != nullptr && text.size() < longest_text && allocation->contains(address, 1)) {
    const char c = static_cast<char>(allocation->host[address - allocation->base]);
    if (c == '\0') break;
    text += c;
    ++address;
  }
  return text;
}

void AccessUnit::print(Warp& warp, const Op& op, std::uint32_t mask) {
  const CallOp& call = kernel_.calls[op.detail];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::string format = text_at(argument(warp, call.arguments[0], lane, 8));
    const std::uint64_t list = argument(warp, call.arguments[1], lane, 8) - local_window;
    std::uint64_t next = list;
    std::string text;
    std::uint64_t count = 0;
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
      const auto take = [&](unsigned bytes) {
        next = (next + bytes - 1) / bytes * bytes;
        const std::uint64_t bits = argument(warp, static_cast<std::uint32_t>(next), lane, bytes);
        next += bytes;
        ++count;
        return bits;
      };
      for (; conversion.stars > 0; --conversion.stars) {
        const auto number = static_cast<std::int32_t>(take(4));
        conversion.text.replace(conversion.text.find('*'), 1, std::to_string(number));
      }
      const std::uint64_t bits = take(conversion.bytes);
      text += converted(conversion, bits, conversion.type == 's' ? text_at(bits) : "");
    }
    if (launch_.print) launch_.print(text);
    set_call_result(warp, call, count, 4, std::uint32_t{1} << lane);
  }
}

void AccessUnit::assert_fail(Warp& warp, const Op& op, std::uint32_t mask) {
  const CallOp& call = kernel_.calls[op.detail];
  const auto lane = static_cast<unsigned>(std::countr_zero(mask));
  const std::string condition = text_at(argument(warp, call.arguments[0], lane, 8));
  fail(warp, op, lane, fmt::format("assert({}) failed", condition));
}

void AccessUnit::set_call_result(Warp& warp, const CallOp& call, std::uint64_t value,
                                 unsigned bytes, std::uint32_t mask) {
  if (call.result == none || std::uint64_t{call.result} + bytes > local_bytes_) return;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::memcpy(local(warp, lane) + call.result, &value, bytes);
    if (undefined_ != nullptr) undefined_->define_local(warp, lane, call.result, bytes);
  }
}

void AccessUnit::stack_allocate(Warp& warp, const Op& op, std::uint32_t mask) {
  constexpr std::uint64_t alignment = 16;
  const CallOp& call = kernel_.calls[op.detail];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::uint64_t& top = stack_[std::size_t{warp.index} * warp_size + lane];
    warp.slot<std::uint64_t>(call.d)[lane] = top;
    if (call.a == none) continue;
    const std::uint64_t size = warp.slot<std::uint64_t>(call.a)[lane];
    if (size > local_bytes_ - top) {
      fail(warp, op, lane,
           fmt::format("alloca of {} bytes: the thread has {} left", size, local_bytes_ - top));
    }
    top = std::min((top + size + alignment - 1) / alignment * alignment, local_bytes_);
  }
}

void AccessUnit::stack_restore(Warp& warp, const Op& op, std::uint32_t mask) {
  const CallOp& call = kernel_.calls[op.detail];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t to = warp.slot<std::uint64_t>(call.a)[lane];
    if (to < kernel_.local_bytes || to > local_bytes_) {
      fail(warp, op, lane, fmt::format("the stack is set back to {}", to));
    }
    stack_[std::size_t{warp.index} * warp_size + lane] = to;
  }
}

}  // namespace sweep
