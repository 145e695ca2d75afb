#include "engine/jit/compiler_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <filesystem>
#include <system_error>

#include "engine/jit/prelude.h"
#include "engine/jit/random_functions.h"
#include "engine/jit/translation_unit.h"

namespace sweep {
namespace {

/// Counts the changes to how the compiler's log is read, which no digest sees.
constexpr int reading_version = 1;

/// A pattern that needs every kind of text that the engine generates.
constexpr const char* sample = R"cuda(/* pattern:
parameters:
  T: {type: element, default: float4}
  K: 1
  WIDE: 4 Gi
  ON: true
structs: {Pair: 8}
buffers:
  a: {type: T, length: 64, init: "splat<T>(i % 101)"}
  b: {type: Pair, length: 64, init: "pair(i)"}
  c: {type: half, length: 64}
launch: {grid: 1, block: 64}
useful: {read: 256}
verify:
  a: "a[i] == splat<T>(i % 101 + K)"
  b: "is_pair(b[i], i) || ON"
*/
#include <cstdint>
#define PAIR Pair
struct Pair { int x, y; };
__device__ PAIR pair(int i) { return {i, K}; }
__device__ bool is_pair(PAIR p, int i) { return p.x == i; }
__global__ void sample(T* a, Pair* b, half* c) { a[threadIdx.x] += splat<T>(K); }
)cuda";

/// The generated text around the sample.
std::string sample_unit() {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"sample.cu", sample});
  const PatternPtr pattern = parse_pattern(source, "sample.cu", diagnostics);
  if (pattern == nullptr) throw InputError(diagnostics);
  std::vector<Configuration> configurations;
  for (const std::int64_t k : {1, 2}) {
    Bindings given;
    given.set("K", k);
    configurations.push_back(resolve(pattern, given));
  }
  return write_translation_unit(configurations).text;
}

std::string digest_of_texts() {
  std::string texts = sample_unit();
  std::vector<ElementType> types;
  for (const std::string& name : ElementType::names()) types.push_back(*ElementType::find(name));
  texts += prelude(types);
  texts += random_functions();
  for (const Header& header : provided_headers())
    texts += fmt::format("{}\n{}", header.name, header.text);
  const XXH128_hash_t hash = XXH3_128bits(texts.data(), texts.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// What tells two builds of one version apart.
std::string build_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  const auto changed = std::filesystem::last_write_time(file, error);
  return fmt::format("{} bytes of {}", error ? 0 : size, changed.time_since_epoch().count());
}

}  // namespace

std::string compiler_identity(const Nvrtc& nvrtc, std::span<const std::string> options) {
  static const std::string texts = digest_of_texts();
  return fmt::format("{}, {}, {}, texts {}, reading {}", nvrtc.version(), build_of(nvrtc.file()),
                     fmt::join(options, " "), texts, reading_version);
}

}  // namespace sweep
