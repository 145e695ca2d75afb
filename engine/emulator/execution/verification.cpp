#include "engine/emulator/execution/verification.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>

#include "engine/backend/mismatch.h"
#include "engine/emulator/machine/thread_team.h"

namespace sweep {
namespace {

/// Elements that are judged in about a second.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 25U;

CheckResult result_of(const EmulatedWorkload::Check& check) {
  CheckResult result;
  std::memcpy(&result, check.result->host, sizeof result);
  return result;
}

class Verifier {
 public:
  Verifier(EmulatedWorkload& emulated, const VerificationScope& scope)
      : emulated_(emulated), scope_(scope) {}

  VerificationOutcome run() {
    const auto& plans = emulated_.workload().verify;
    for (const VerificationPlan& plan : plans) result_.elements += plan.length;
    for (std::size_t i = 0; i < plans.size() && !result_.mismatch; ++i) {
      result_.failed = i;
      if (scope_.is_partial || (!scope_.is_exact && plans[i].length > most_elements)) {
        verify_some(i);
      } else {
        verify_all(i);
      }
    }
    return std::move(result_);
  }

 private:
  const VerificationPlan& plan_of(std::size_t index) const {
    return emulated_.workload().verify[index];
  }

  void verify_all(std::size_t index) {
    const std::uint64_t length = plan_of(index).length;
    const auto threads = static_cast<unsigned>(
        std::clamp<std::uint64_t>(length >> 14U, 1, std::max(scope_.threads, 1U)));
    std::vector<EmulatedWorkload::Check> checks;
    for (unsigned i = 0; i < threads; ++i) {
      checks.push_back(emulated_.make_check(index, 0, length, false));
    }
    std::vector<std::exception_ptr> failures(threads);
    std::atomic<unsigned> next = 0;
    run_on_threads(threads, [&] {
      for (unsigned i = next++; i < threads; i = next++) {
        try {
          checks[i].function->run_range(length * i / threads, length * (i + 1) / threads);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      }
    });
    CheckResult sum;
    for (unsigned i = 0; i < threads; ++i) {
      if (failures[i] != nullptr) std::rethrow_exception(failures[i]);
      const CheckResult result = result_of(checks[i]);
      sum.count += result.count;
      sum.first = std::min(sum.first, result.first);
    }
    conclude(index, sum, length);
  }

  /// What executed blocks wrote and, where all were executed, elements here and there.
  void verify_some(std::size_t index) {
    const VerificationPlan& plan = plan_of(index);
    const auto& buffers = emulated_.buffers();
    const auto named = std::ranges::find(buffers, plan.buffer, &Allocation::name);
    if (named == buffers.end() || (*named)->written == nullptr) return;
    const Allocation& buffer = **named;
    const TouchedBytes& written = *buffer.written;
    EmulatedWorkload::Check check = emulated_.make_check(index, 0, plan.length, scope_.is_partial);
    std::vector<std::uint64_t> elements;
    std::uint64_t looked_at = 0;
    const auto flush = [&] {
      check.function->run(elements);
      looked_at += elements.size();
      elements.clear();
    };
    const auto look_at = [&](std::uint64_t element) {
      elements.push_back(element);
      if (elements.size() == warp_size) flush();
    };
    for (std::uint64_t at = written.find_from(0); at < written.bytes();) {
      const std::uint64_t element = at / buffer.element_bytes;
      if (element >= plan.length) break;
      look_at(element);
      at = written.find_from((element + 1) * buffer.element_bytes);
    }
    constexpr std::uint64_t chosen = std::uint64_t{256} * warp_size;
    for (std::uint64_t i = 0; i < chosen && !scope_.is_partial; ++i) {
      const std::uint64_t element = plan.length / chosen * i;
      const std::uint64_t begin = element * buffer.element_bytes;
      if (written.find_from(begin) >= begin + buffer.element_bytes) look_at(element);
    }
    flush();
    conclude(index, result_of(check), looked_at - check.function->retired());
  }

  void conclude(std::size_t index, const CheckResult& found, std::uint64_t judged) {
    result_.judged += judged;
    if (found.count == 0) return;
    // Shows both sides of the first that fails.
    EmulatedWorkload::Check check =
        emulated_.make_check(index, found.first, found.first + 1, scope_.is_partial);
    check.function->run_range(0, 1);
    CheckResult shown = result_of(check);
    shown.count = found.count;
    shown.first = found.first;
    VerificationPlan plan = plan_of(index);
    const bool is_whole = judged == plan.length;
    plan.length = judged;
    result_.mismatch = describe_mismatch(plan, shown, is_whole ? "" : " that were judged");
  }

  EmulatedWorkload& emulated_;
  const VerificationScope& scope_;
  VerificationOutcome result_;
};

}  // namespace

VerificationOutcome verify_results(EmulatedWorkload& workload, const VerificationScope& scope) {
  return Verifier(workload, scope).run();
}

}  // namespace sweep
