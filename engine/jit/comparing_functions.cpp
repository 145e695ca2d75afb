#include "engine/jit/prelude.h"

namespace sweep {
namespace {

// Differences are taken in double or, between integers, in 64 bits. Steps between floating-point
// numbers are those between their bits as integers, counted through zero.
//
// A sum of n terms in arithmetic of the unit roundoff u is off by at most n u S, with S the sum of
// the terms' magnitudes, to first order and in whatever order it is summed (Higham, "Accuracy and
// Stability of Numerical Algorithms", 2nd edition, 2002, section 3.1). Where rounding goes either
// way by chance it is off by a small multiple of sqrt(n) u S (Higham and Mary, "A New Approach to
// Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019): twice that is allowed,
// and the rounding to the element's own type.
//
// Names that stand behind the pattern's code, too, are such that no macro has them.
constexpr std::string_view functions_to_compare = R"(
struct sweep_bounds {
  double sweep_absolute = 0;
  double sweep_relative = 0;
  double sweep_ulps = -1;
  double sweep_length = 0;
  double sweep_scale = -1;
  double sweep_roundoff = 0;
  bool sweep_equal_nan = false;
};

struct sweep_distance {
  double difference = 0;
  double allowed = 0;
  sweep_u64 ulps = 0;
  bool sweep_is_right = true;

  __device__ void take(const sweep_distance& other) {
    const bool is_larger = !(other.difference <= difference);
    if (!other.sweep_is_right && (sweep_is_right || is_larger)) *this = other;
  }
};

template <class V>
inline constexpr bool sweep_is_integer = requires(V v) { v % V(1); };

template <class V>
__device__ double sweep_real(const V& v) {
  if constexpr (requires(double& d) { d = v; }) {
    return static_cast<double>(v);
  } else {
    return static_cast<double>(static_cast<float>(v));
  }
}

template <class V>
__device__ double sweep_roundoff() {
  double u = 0;
  if constexpr (!sweep_is_integer<V>) {
    // Of eight bits and fewer, and all others: the least that changes a 1, halved.
    u = sizeof(V) == 8 ? 0x1p-53 : sizeof(V) == 4 ? 0x1p-24 : 0.5;
    if constexpr (sizeof(V) < 4) {
      while (sweep_real(V(static_cast<float>(1 + u))) != 1) u /= 2;
    }
  }
  return u;
}

template <class V>
__device__ sweep_u64 sweep_steps(const V& a, const V& b) {
  sweep_u64 bits[2] = {};
  memcpy(&bits[0], &a, sizeof(V));
  memcpy(&bits[1], &b, sizeof(V));
  constexpr sweep_u64 sign = 1ull << (8 * sizeof(V) - 1);
  const sweep_u64 from = bits[0] & ~sign;
  const sweep_u64 to = bits[1] & ~sign;
  if ((bits[0] & sign) != (bits[1] & sign)) return from + to;
  return from < to ? to - from : from - to;
}

template <class A, class E>
__device__ sweep_distance sweep_compare_one(const A& actual, const E& expected,
                                            const sweep_bounds& bounds) {
  sweep_distance result;
  if constexpr (sweep_is_integer<A> && sweep_is_integer<E>) {
    const bool is_signed = A(-1) < A(0);
    const long long a = static_cast<long long>(actual);
    const long long e = static_cast<long long>(static_cast<A>(expected));
    const bool is_less = is_signed ? a < e : sweep_u64(a) < sweep_u64(e);
    result.ulps = is_less ? sweep_u64(e) - sweep_u64(a) : sweep_u64(a) - sweep_u64(e);
    if (result.ulps == 0) return result;
    result.difference = static_cast<double>(result.ulps);
  } else {
    const double a = sweep_real(actual);
    const double e = sweep_real(expected);
    if (a == e || (a != a && e != e && bounds.sweep_equal_nan)) return result;
    result.difference = fabs(a - e);
    // Infinities and what is no number are near to nothing.
    constexpr double largest = 1.7976931348623157e308;
    if (!(fabs(a) <= largest && fabs(e) <= largest)) {
      result.sweep_is_right = false;
      return result;
    }
    result.ulps = ~0ull;
    if constexpr (!sweep_is_integer<A>) {
      result.ulps = sweep_steps(actual, static_cast<A>(expected));
    }
  }
  const double size = fabs(sweep_real(expected));
  result.allowed = fmax(bounds.sweep_absolute, bounds.sweep_relative * size);
  if (bounds.sweep_length > 0) {
    const double terms = fmin(bounds.sweep_length, 2 * sqrt(bounds.sweep_length));
    const double scale = bounds.sweep_scale >= 0 ? bounds.sweep_scale : size;
    result.allowed = fmax(result.allowed, terms * bounds.sweep_roundoff * scale +
                                              sweep_roundoff<A>() * size);
  }
  result.sweep_is_right = result.difference <= result.allowed ||
                    static_cast<double>(result.ulps) <= bounds.sweep_ulps;
  return result;
}

template <class A, class E>
__device__ bool sweep_is_equal(const A& a, const E& e) {
  if constexpr (requires { static_cast<bool>(a == e); }) {
    return a == e;
  } else {
    return false;
  }
}

template <int C, class V>
__device__ auto sweep_component(const V& v) {
  if constexpr (!requires { v.x; }) {
    return v;
  } else if constexpr (C == 0) {
    return v.x;
  } else if constexpr (C == 1) {
    return v.y;
  } else if constexpr (C == 2) {
    return v.z;
  } else {
    return v.w;
  }
}

template <class A, class E>
__device__ sweep_distance sweep_compare(const A& a, const E& e, const sweep_bounds& bounds) {
  sweep_distance worst;
  if constexpr (requires { a.x; }) {
    worst.take(sweep_compare_one(a.x, sweep_component<0>(e), bounds));
    if constexpr (requires { a.y; }) worst.take(sweep_compare_one(a.y, sweep_component<1>(e), bounds));
    if constexpr (requires { a.z; }) worst.take(sweep_compare_one(a.z, sweep_component<2>(e), bounds));
    if constexpr (requires { a.w; }) worst.take(sweep_compare_one(a.w, sweep_component<3>(e), bounds));
  } else {
    worst.take(sweep_compare_one(a, e, bounds));
  }
  return worst;
}

__device__ inline void sweep_note(sweep_failure* failure, sweep_u64 i,
                                  const sweep_distance& distance) {
  // The difference's sign is 0; what is left of its exponent and fraction orders it.
  const sweep_u64 order = sweep_u64(__double_as_longlong(fabs(distance.difference))) >> 39;
  const sweep_u64 place = order << 40 | (~i & ((1ull << 40) - 1));
  if (place > *const_cast<volatile sweep_u64*>(&failure->worst)) {
    ::atomicMax(&failure->worst, place);
  }
}

__device__ inline void sweep_show_distance(sweep_failure* failure, const sweep_distance& distance) {
  failure->difference = distance.difference;
  failure->allowed = distance.allowed;
  failure->ulps = distance.ulps;
}
)";

}  // namespace

std::string_view comparing_functions() {
  return functions_to_compare;
}

}  // namespace sweep
