#include "tests/emulator/machine/random_program.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {
namespace {

/// Bytes of global and of shared memory that are a thread's own.
constexpr std::uint32_t slot_bytes = 64;
constexpr std::uint32_t registers = 12;

class Writer {
 public:
  Writer(std::mt19937_64& random, const Flavour& flavour, std::uint32_t threads)
      : random_(random), flavour_(flavour), threads_(threads) {}

  std::string run() {
    begin();
    statements(flavour_.length, 0);
    for (std::uint32_t i = 0; i < registers; ++i) line("xor.b32 %result, %result, {};", r(i));
    line("cvt.u32.u64 %r60, %d1; xor.b32 %result, %result, %r60;");
    line("mov.b32 %r60, %f1; xor.b32 %result, %result, %r60;");
    return std::move(text_);
  }

 private:
  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <std::size_t count>
  std::string_view any(const std::string_view (&list)[count]) {
    return list[below(count)];
  }

  template <class... Values>
  void line(std::string_view format, const Values&... values) {
    text_ += fmt::vformat(format, fmt::make_format_args(values...));
    text_ += '\n';
  }

  static std::string r(std::uint32_t i) { return fmt::format("%r{}", i); }
  std::string to(char kind, std::uint32_t count) {
    return fmt::format("%{}{}", kind, below(count));
  }
  std::string r() { return to('r', registers); }
  std::string d() { return to('d', 4); }
  std::string f() { return to('f', 4); }
  std::string h() { return to('h', 4); }
  std::string p() { return to('p', 6); }
  /// A register or a number.
  std::string source() {
    static constexpr std::string_view numbers[] = {"0",           "1",  "-1", "2147483647",
                                                   "-2147483648", "31", "32", "7"};
    return one_in(4) ? std::string(any(numbers)) : r();
  }
  std::string guard() {
    if (!one_in(5)) return {};
    return fmt::format("@{}{} ", one_in(2) ? "!" : "", p());
  }
  std::string label() { return fmt::format("L{}", labels_++); }

  void begin() {
    line(".shared .align 16 .b8 cells[{}];", threads_ * slot_bytes);
    // %d60: the thread's slot in global memory, aligned behind the results; %r61: in shared memory.
    line("mov.u32 %r60, %ntid.x; mov.u32 %r61, %nctaid.x; mul.lo.u32 %r60, %r60, %r61;");
    line("mad.wide.u32 %d60, %r60, 16, %out; mad.wide.u32 %d60, %id, {}, %d60;", slot_bytes);
    line("mov.u32 %r62, cells; mad.lo.u32 %r61, %me, {}, %r62;", slot_bytes);
    for (std::uint32_t i = 0; i < slot_bytes; i += 4) {
      line("mad.lo.u32 %r60, %id, {}, {};", below(1 << 20), below(1U << 31U));
      line("st.shared.u32 [%r61+{}], %r60; st.global.u32 [%d60+{}], %r60;", i, i);
    }
    for (std::uint32_t i = 0; i < registers; ++i) {
      line("mad.lo.u32 {}, %id, {}, {};", r(i), one_in(2) ? below(8) : below(1U << 31U),
           one_in(2) ? below(64) : below(1U << 31U));
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      line("mul.wide.s32 %d{}, {}, {};", i, r(), r());
      line("cvt.rn.f32.s32 %f{}, {};", i, r());
      line("cvt.u16.u32 %h{}, {};", i, r());
    }
    for (std::uint32_t i = 0; i < 6; ++i) line("setp.lt.s32 %p{}, {}, {};", i, r(), r());
  }

  void statements(std::uint32_t count, std::uint32_t depth) {
    for (std::uint32_t i = 0; i < count; ++i) statement(depth);
  }

  void statement(std::uint32_t depth) {
    const std::uint32_t kind = below(10);
    if (kind == 0 && flavour_.has_structure && depth < 4) return condition(depth);
    if (kind == 1 && flavour_.has_structure && depth < 3) return loop(depth);
    if (kind == 2 && flavour_.has_jumps && depth < 3) return jumps(depth);
    if (kind == 3 && flavour_.has_structure && depth < 3) return choice(depth);
    if (kind == 4 && flavour_.has_meetings && depth == 0) return meeting();
    if (kind == 5 && flavour_.has_meetings && depth == 0) return parted_meeting();
    if (kind <= 6) return memory();
    arithmetic();
  }

  void condition(std::uint32_t depth) {
    const std::string otherwise = label();
    const std::string end = label();
    line("@{}{} bra {};", one_in(2) ? "!" : "", p(), otherwise);
    statements(1 + below(4), depth + 1);
    if (one_in(2)) {
      line("bra {};", end);
      line("{}:", otherwise);
      statements(1 + below(4), depth + 1);
      line("{}:", end);
    } else {
      line("{}:", otherwise);
    }
  }

  /// Runs 0 to 7 times, which differs from thread to thread.
  void loop(std::uint32_t depth) {
    const std::string begin = label();
    const std::string end = label();
    const std::string counter = fmt::format("%r{}", 40 + depth);
    const std::string more = fmt::format("%p{}", 40 + depth);
    line("and.b32 {}, {}, {};", counter, r(), one_in(2) ? 7 : 3);
    line("{}: setp.eq.u32 {}, {}, 0;", begin, more, counter);
    line("@{} bra {};", more, end);
    line("sub.u32 {}, {}, 1;", counter, counter);
    statements(1 + below(4), depth + 1);
    if (one_in(3)) line("@{} bra {};", p(), end);
    statements(below(3), depth + 1);
    if (one_in(4)) line("@{} bra {};", p(), begin);
    line("bra {};", begin);
    line("{}:", end);
  }

  void jumps(std::uint32_t depth) {
    std::vector<std::string> labels;
    for (std::uint32_t i = 0; i < 3 + below(4); ++i) labels.push_back(label());
    const auto count = static_cast<std::uint32_t>(labels.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      statements(1 + below(2), depth + 1);
      line("setp.ne.s32 {}, {}, {};", p(), r(), source());
      line("@{}{} bra {};", one_in(2) ? "!" : "", p(), labels[i + below(count - i)]);
      statements(below(2), depth + 1);
      if (one_in(3)) line("bra {};", labels[i + below(count - i)]);
      line("{}:", labels[i]);
    }
  }

  void choice(std::uint32_t depth) {
    const std::uint32_t cases = 2 + below(3);
    const std::string table = label();
    std::vector<std::string> labels;
    std::string list;
    for (std::uint32_t i = 0; i < cases; ++i) {
      labels.push_back(label());
      list += (i == 0 ? "" : ", ") + labels[i];
    }
    const std::string end = label();
    line("rem.u32 %r60, {}, {};", r(), cases);
    line("{}: .branchtargets {};", table, list);
    line("brx.idx %r60, {};", table);
    for (std::uint32_t i = 0; i < cases; ++i) {
      line("{}:", labels[i]);
      statements(1 + below(2), depth + 1);
      if (one_in(2)) line("bra {};", end);
    }
    line("{}:", end);
  }

  /// All threads of the block are here.
  void meeting() {
    static constexpr std::string_view modes[] = {"up", "down", "bfly", "idx"};
    static constexpr std::string_view votes[] = {"all.pred %p5,", "any.pred %p4,",
                                                 "ballot.b32 %r3,"};
    switch (below(5)) {
      case 0: {
        const std::string_view mode = any(modes);
        const std::uint32_t segment = one_in(2) ? 0 : 32 - (1U << below(6));
        line("shfl.sync.{}.b32 {}, {}, {}, {}, -1;", mode, r(), r(), source(),
             segment << 8 | (mode == "up" ? 0 : 31));
        return;
      }
      case 1:
        line("vote.sync.{} {}{}, -1;", any(votes), one_in(2) ? "!" : "", p());
        return;
      case 2:
        line("and.b32 %r60, {}, 3; match.any.sync.b32 {}, %r60, -1;", r(), r());
        return;
      case 3:
        line("redux.sync.add.u32 {}, {}, -1;", r(), r());
        return;
      default:
        exchange();
    }
  }

  /// Reads what another thread of the block has written before the barrier.
  void exchange() {
    const std::uint32_t word = below(slot_bytes / 4) * 4;
    line("bar.sync 0;");
    line("add.u32 %r60, %me, {}; rem.u32 %r60, %r60, {};", below(threads_), threads_);
    if (one_in(2)) {
      line("mad.lo.u32 %r60, %r60, {}, %r62;", slot_bytes);
      line("{}ld.shared.u32 {}, [%r60+{}];", guard(), r(), word);
    } else {
      line("sub.u32 %r60, %r60, %me; mul.wide.s32 %d61, %r60, {};", slot_bytes);
      line("add.s64 %d61, %d61, %d60;");
      line("{}ld.global.u32 {}, [%d61+{}];", guard(), r(), word);
    }
    line("bar.sync 0;");
  }

  /// Lanes part, and those of each side meet with a mask that names them.
  void parted_meeting() {
    const std::string otherwise = label();
    const std::string end = label();
    line("setp.ne.s32 %p50, {}, {};", r(), source());
    line("vote.sync.ballot.b32 %r50, %p50, -1; not.b32 %r51, %r50;");
    line("@!%p50 bra {};", otherwise);
    statements(below(3), 2);
    line("redux.sync.add.u32 {}, {}, %r50;", r(), r());
    line("bra {};", end);
    line("{}:", otherwise);
    line("vote.sync.ballot.b32 {}, {}, %r51;", r(), p());
    statements(below(3), 2);
    line("match.any.sync.b32 {}, {}, %r51;", r(), r());
    line("{}:", end);
    line("selp.b32 %r52, %r50, %r51, %p50; redux.sync.add.u32 {}, {}, %r52;", r(), r());
  }

  void memory() {
    static constexpr std::string_view narrow[] = {"u8", "s8", "u16", "s16", "u32", "s32"};
    const bool is_shared = one_in(2);
    const std::string_view space = is_shared ? "shared" : "global";
    const std::string_view base = is_shared ? "%r61" : "%d60";
    const std::string g = guard();
    switch (below(6)) {
      case 0:
        line("{}ld.{}.v2.u32 {{{}, {}}}, [{}+{}];", g, space, r(below(6)), r(6 + below(6)), base,
             8 * below(8));
        return;
      case 1:
        line("{}st.{}.v4.u32 [{}+{}], {{{}, {}, {}, {}}};", g, space, base, 16 * below(4), r(), r(),
             r(), r());
        return;
      case 2:
        line("{}ld.{}.u64 {}, [{}+{}];", g, space, d(), base, 8 * below(8));
        return;
      case 3:
        line("{}st.{}.u64 [{}+{}], {};", g, space, base, 8 * below(8), d());
        return;
      case 4:
        line("{}ld.{}.{} {}, [{}+{}];", g, space, any(narrow), r(), base, 4 * below(16));
        return;
      default:
        line("{}st.{}.{} [{}+{}], {};", g, space, any(narrow), base, 4 * below(16), r());
    }
  }

  void arithmetic() {
    switch (below(8)) {
      case 0:
        return integers_64();
      case 1:
        return floats();
      case 2:
        return halves();
      case 3:
        return predicates();
      case 4:
        return conversions();
      default:
        integers_32();
    }
  }

  void integers_32() {
    static constexpr std::string_view binary[] = {
        "add.s32", "sub.s32", "mul.lo.s32", "mul.hi.s32", "mul.hi.u32", "min.s32", "max.u32",
        "and.b32", "or.b32",  "xor.b32",    "shl.b32",    "shr.s32",    "shr.u32"};
    static constexpr std::string_view unary[] = {"not.b32",  "neg.s32", "abs.s32",
                                                 "popc.b32", "clz.b32", "mov.b32"};
    const std::string g = guard();
    switch (below(5)) {
      case 0:
        line("{}{} {}, {};", g, any(unary), r(), r());
        return;
      case 1:
        line("{}mad.lo.s32 {}, {}, {}, {};", g, r(), r(), source(), r());
        return;
      case 2:
        line("or.b32 %r60, {}, 1; {}{} {}, {}, %r60;", r(), g, one_in(2) ? "div.s32" : "rem.u32",
             r(), r());
        return;
      case 3:
        line("{}selp.b32 {}, {}, {}, {};", g, r(), r(), source(), p());
        return;
      default:
        line("{}{} {}, {}, {};", g, any(binary), r(), r(), source());
    }
  }

  void integers_64() {
    static constexpr std::string_view binary[] = {"add.s64", "sub.s64", "mul.lo.s64", "mul.hi.u64",
                                                  "min.s64", "max.u64", "and.b64",    "xor.b64"};
    const std::string g = guard();
    switch (below(4)) {
      case 0:
        line("{}mul.wide.{} {}, {}, {};", g, one_in(2) ? "u32" : "s32", d(), r(), r());
        return;
      case 1:
        line("{}{} {}, {}, {};", g, one_in(2) ? "shl.b64" : "shr.s64", d(), d(), r());
        return;
      case 2:
        line("{}mad.wide.u32 {}, {}, {}, {};", g, d(), r(), r(), d());
        return;
      default:
        line("{}{} {}, {}, {};", g, any(binary), d(), d(), d());
    }
  }

  void floats() {
    static constexpr std::string_view binary[] = {"add.f32", "sub.rn.f32", "mul.f32", "min.f32",
                                                  "max.f32"};
    const std::string g = guard();
    if (one_in(3)) {
      line("{}fma.rn.f32 {}, {}, {}, {};", g, f(), f(), f(), f());
    } else {
      line("{}{} {}, {}, {};", g, any(binary), f(), f(), f());
    }
  }

  void halves() {
    static constexpr std::string_view binary[] = {"add.s16", "sub.u16", "mul.lo.s16", "min.s16",
                                                  "and.b16", "or.b16",  "max.u16"};
    const std::string g = guard();
    if (one_in(4)) {
      line("{}mul.wide.s16 {}, {}, {};", g, r(), h(), h());
    } else {
      line("{}{} {}, {}, {};", g, any(binary), h(), h(), h());
    }
  }

  void predicates() {
    static constexpr std::string_view compare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static constexpr std::string_view type[] = {"s32", "u32"};
    const std::string g = guard();
    switch (below(5)) {
      case 0:
        line("{}setp.{}.f32 {}, {}, {};", g, any(compare), p(), f(), f());
        return;
      case 1:
        line("{}setp.{}.s64 {}, {}, {};", g, any(compare), p(), d(), d());
        return;
      case 2:
        line("{}setp.{}.{}.{} {}, {}, {}, {}{};", g, any(compare), one_in(2) ? "and" : "or",
             any(type), p(), r(), source(), one_in(3) ? "!" : "", p());
        return;
      default:
        line("{}setp.{}.{} {}, {}, {};", g, any(compare), any(type), p(), r(), source());
    }
  }

  void conversions() {
    const std::string g = guard();
    switch (below(7)) {
      case 0:
        line("{}cvt.{}.u64 {}, {};", g, one_in(2) ? "u32" : "s32", r(), d());
        return;
      case 1:
        line("{}cvt.s64.s32 {}, {};", g, d(), r());
        return;
      case 2:
        line("{}cvt.rn.f32.{} {}, {};", g, one_in(2) ? "s32" : "u32", f(), r());
        return;
      case 3:
        line("{}cvt.rzi.s32.f32 {}, {};", g, r(), f());
        return;
      case 4:
        line("{}cvt.{}.{} {}, {};", g, one_in(2) ? "u32" : "s32", one_in(2) ? "u16" : "s16", r(),
             h());
        return;
      case 5:
        line("{}cvt.s32.s8 {}, {};", g, r(), r());
        return;
      default:
        line("{}cvt.u16.u32 {}, {};", g, h(), r());
    }
  }

  std::mt19937_64& random_;
  const Flavour& flavour_;
  std::uint32_t threads_;
  std::uint32_t labels_ = 0;
  std::string text_;
};

}  // namespace

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

RandomProgram random_program(std::mt19937_64& random, const Flavour& flavour) {
  static constexpr std::uint32_t whole[] = {32, 64, 96};
  static constexpr std::uint32_t broken[] = {1, 7, 32, 33, 48, 64, 70};
  RandomProgram program;
  program.block.x = flavour.has_meetings ? whole[random() % 3] : broken[random() % 7];
  program.grid.x = 1 + static_cast<std::uint32_t>(random() % 3);
  program.ptx = kernel_text(Writer(random, flavour, program.block.x).run());
  program.out_bytes = program.grid.count() * program.block.count() * (16 + slot_bytes);
  return program;
}

}  // namespace sweep::testing
