#include "engine/jit/foreign_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/jit/prelude.h"
#include "engine/jit/standard_library.h"
#include "engine/spec/compile_rules.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/cuda_slice.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// Headers of which kernels can use nothing, or nothing that NVRTC does not declare by itself.
constexpr std::string_view of_the_host =
    " cctype cerrno cinttypes clocale csetjmp csignal cstdarg cstdlib "
    "ctime cwchar any atomic bitset charconv condition_variable deque exception "
    "execution filesystem format forward_list fstream future iomanip ios iosfwd iostream istream "
    "list locale map memory_resource mutex new ostream queue random ranges regex semaphore set "
    "shared_mutex source_location sstream stack stdexcept streambuf string string_view "
    "system_error "
    "thread typeindex typeinfo unordered_map unordered_set vector "
    "complex.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h getopt.h inttypes.h "
    "libgen.h locale.h malloc.h memory.h omp.h poll.h pthread.h sched.h setjmp.h signal.h "
    "stdarg.h stdbool.h stdlib.h string.h strings.h time.h unistd.h "
    "wchar.h windows.h "
    "cuda.h cuda_runtime.h cuda_runtime_api.h cuda_device_runtime_api.h "
    "device_launch_parameters.h driver_types.h vector_types.h vector_functions.h "
    "cuda_profiler_api.h cudaProfiler.h cudaTypedefs.h cuda_gl_interop.h curand.h nccl.h mpi.h "
    "nvml.h nvrtc.h helper_cuda.h helper_functions.h ";

/// Thrust's containers and algorithms, which launch kernels.
bool is_thrust_of_host(std::string_view name) {
  constexpr std::string_view folder = "thrust/";
  constexpr std::string_view headers =
      " adjacent_difference.h advance.h async/copy.h async/for_each.h async/reduce.h async/scan.h "
      "async/sort.h async/transform.h binary_search.h copy.h count.h device_allocator.h "
      "device_delete.h device_free.h device_malloc.h device_new.h device_ptr.h device_vector.h "
      "equal.h execution_policy.h extrema.h fill.h find.h for_each.h gather.h generate.h "
      "host_vector.h inner_product.h logical.h merge.h mismatch.h partition.h reduce.h remove.h "
      "replace.h reverse.h scan.h scatter.h sequence.h set_operations.h shuffle.h sort.h "
      "system_error.h tabulate.h transform.h transform_reduce.h transform_scan.h "
      "uninitialized_copy.h uninitialized_fill.h unique.h universal_vector.h ";
  return name.starts_with(folder) && is_in_list(headers, name.substr(folder.size()));
}

bool is_of_host(std::string_view name) {
  constexpr std::array folders = {
      "sys/",   "arpa/",       "netinet/",           "linux/",          "GL/",
      "nvtx3/", "cub/device/", "cub/util_allocator", "cuda/stream_ref", "thrust/system/cuda/"};
  constexpr std::array libraries = {"cublas",   "cudnn",    "cufft",    "cusparse",
                                    "cusolver", "cutensor", "cupti",    "nvToolsExt",
                                    "cudaEGL",  "cudaGL",   "cudaVDPAU"};
  const auto begins = [&](const char* with) { return name.starts_with(with); };
  return is_in_list(of_the_host, name) || std::ranges::any_of(folders, begins) ||
         std::ranges::any_of(libraries, begins) || is_thrust_of_host(name);
}

bool is_in_toolkit(std::string_view name, const fs::path& toolkit) {
  if (toolkit.empty() || leads_out(name)) return false;
  std::error_code error;
  return fs::exists(toolkit / name, error) || fs::exists(cccl_include(toolkit) / name, error);
}

/// The headers of CUB's for device code, of those that the toolkit has.
std::string cub_for_devices(const fs::path& toolkit) {
  constexpr std::array<std::string_view, 26> names = {"block/block_adjacent_difference",
                                                      "block/block_discontinuity",
                                                      "block/block_exchange",
                                                      "block/block_histogram",
                                                      "block/block_load",
                                                      "block/block_merge_sort",
                                                      "block/block_radix_rank",
                                                      "block/block_radix_sort",
                                                      "block/block_reduce",
                                                      "block/block_run_length_decode",
                                                      "block/block_scan",
                                                      "block/block_shuffle",
                                                      "block/block_store",
                                                      "warp/warp_exchange",
                                                      "warp/warp_load",
                                                      "warp/warp_merge_sort",
                                                      "warp/warp_reduce",
                                                      "warp/warp_scan",
                                                      "warp/warp_store",
                                                      "thread/thread_load",
                                                      "thread/thread_operators",
                                                      "thread/thread_reduce",
                                                      "thread/thread_scan",
                                                      "thread/thread_search",
                                                      "thread/thread_store",
                                                      "iterator/cache_modified_input_iterator"};
  std::string text;
  for (const std::string_view name : names) {
    const std::string file = fmt::format("cub/{}.cuh", name);
    if (is_in_toolkit(file, toolkit)) text += fmt::format("#include <{}>\n", file);
  }
  return text;
}

/// The words of the pattern and of what is left of its files, macros included.
WordSet words_of(const Pattern& pattern) {
  WordSet words;
  const auto add = [&](std::string_view text) {
    words.merge(words_in(text));
    for (const Directive& directive : find_directives(text)) {
      if (!defined_macro(directive).empty()) words.merge(words_in(directive.text));
    }
  };
  add(pattern.body);
  for (const IncludedFile& file : pattern.included.files) add(file.text);
  for (const CudaExpression& each : expressions_of(pattern)) words.merge(words_in(each.text));
  for (const auto& macro : pattern.compile.defines) words.merge(words_in(unquoted(macro.value)));
  return words;
}

/// The engine's own header of this name, or null.
const Header* find_provided(std::string_view name) {
  const auto found = std::ranges::find_if(
      provided_headers(), [&](const Header& header) { return header.name == name; });
  return found != provided_headers().end() ? &*found : nullptr;
}

/// What stands for a header; nothing where the compiler reads the toolkit's, or the engine's, or
/// is to say that it is missing.
std::optional<std::string> stand_in(const ForeignInclude& foreign, const WordSet& words,
                                    const fs::path& toolkit) {
  const std::string& name = foreign.name;
  if (find_provided(name) != nullptr) return std::nullopt;
  if (is_shared_with_host(name) || is_of_host(name)) return std::string();
  for (const char* library : {"cub", "thrust"}) {
    const bool is_of_it = name.starts_with(fmt::format("{}/", library));
    if (is_of_it && !words.contains(library)) return std::string();
  }
  if (name == "cub/cub.cuh") return cub_for_devices(toolkit);
  const bool is_left = foreign.is_in_body || is_in_toolkit(name, toolkit);
  return is_left ? std::nullopt : std::optional(std::string());
}

/// See implied_headers.
constexpr const char* own_std = "sweep/std";

bool needs_own_std(const Pattern& pattern) {
  return !pattern.included.files.empty() || pattern.body.find("std") != std::string::npos;
}

/// Namespace std for the pattern, as a header.
SourceHeader standard_library_of(const Pattern& pattern, const fs::path& toolkit) {
  std::vector<std::string_view> texts = {pattern.body};
  for (const IncludedFile& file : pattern.included.files) texts.emplace_back(file.text);
  const std::vector<CudaExpression> expressions = expressions_of(pattern);
  for (const CudaExpression& each : expressions) texts.emplace_back(each.text);
  std::vector<std::string_view> included;
  for (const ForeignInclude& foreign : pattern.included.foreign) {
    if (is_shared_with_host(foreign.name)) included.emplace_back(foreign.name);
  }
  return {own_std, standard_library(texts, included, [&](std::string_view name) {
            return is_in_toolkit(name, toolkit);
          })};
}

}  // namespace

std::vector<SourceHeader> stand_in_headers(const Pattern& pattern, const fs::path& toolkit) {
  std::vector<SourceHeader> headers;
  if (needs_own_std(pattern)) headers.push_back(standard_library_of(pattern, toolkit));
  const WordSet words = words_of(pattern);
  const bool has_curand =
      std::ranges::find(pattern.included.foreign, "curand_kernel.h", &ForeignInclude::name) !=
      pattern.included.foreign.end();
  for (const ForeignInclude& foreign : pattern.included.foreign) {
    // cuRAND's functions for devices need its types for hosts.
    if (has_curand && foreign.name == "curand.h") continue;
    if (auto text = stand_in(foreign, words, toolkit)) {
      headers.push_back({foreign.name, std::move(*text)});
    }
  }
  return headers;
}

std::vector<std::string> implied_headers(const Pattern& pattern) {
  std::vector<std::string> implied;
  if (pattern.included.files.empty()) {
    if (needs_own_std(pattern)) implied.emplace_back(own_std);
    return implied;
  }
  const WordSet words = words_of(pattern);
  for (const char* name : {"math.h", "float.h", "limits.h", "stdint.h"}) {
    const std::vector<Directive> definitions = find_directives(find_provided(name)->text);
    const bool is_named = std::ranges::any_of(definitions, [&](const Directive& definition) {
      return words.contains(defined_macro(definition));
    });
    if (is_named) implied.emplace_back(name);
  }
  constexpr std::array<std::pair<std::string_view, const char*>, 12> types = {
      {{"__half", "cuda_fp16.h"},
       {"half", "cuda_fp16.h"},
       {"__half2", "cuda_fp16.h"},
       {"half2", "cuda_fp16.h"},
       {"__nv_bfloat16", "cuda_bf16.h"},
       {"nv_bfloat16", "cuda_bf16.h"},
       {"__nv_bfloat162", "cuda_bf16.h"},
       {"__nv_fp8_e4m3", "cuda_fp8.h"},
       {"__nv_fp8_e5m2", "cuda_fp8.h"},
       {"cuComplex", "cuComplex.h"},
       {"cuFloatComplex", "cuComplex.h"},
       {"cuDoubleComplex", "cuComplex.h"}}};
  for (const auto& [type, header] : types) {
    const bool is_known = std::ranges::find(implied, header) != implied.end();
    if (words.contains(type) && !is_known) implied.emplace_back(header);
  }
  implied.emplace_back(own_std);
  return implied;
}

std::vector<std::string> vector_makers(const Pattern& pattern) {
  constexpr std::string_view begin = "make_";
  const auto is_maker = [&](const std::string& word) {
    if (!word.starts_with(begin)) return false;
    const auto type = ElementType::find(std::string_view(word).substr(begin.size()));
    return type && type->is_vector() && type->header() == nullptr;
  };
  std::vector<std::string> makers;
  std::ranges::copy_if(words_of(pattern), std::back_inserter(makers), is_maker);
  return makers;
}

Diagnostics missing_headers(const Pattern& pattern, const fs::path& toolkit) {
  Diagnostics notes;
  for (const ForeignInclude& foreign : pattern.included.foreign) {
    const std::string& name = foreign.name;
    const bool is_there = foreign.is_in_body || find_provided(name) != nullptr ||
                          is_of_host(name) || is_shared_with_host(name) ||
                          is_in_toolkit(name, toolkit);
    if (is_there) continue;
    notes.add(
        {Severity::note, foreign.where,
         fmt::format("{} is neither beside the pattern nor in the CUDA Toolkit, and is left out",
                     name),
         "--include DIR adds a folder to look in"});
  }
  return notes;
}

bool is_known_header(std::string_view name) {
  constexpr std::array<std::string_view, 7> cuda = {
      "cooperative_groups.h", "cuda_bf16.h",    "cuda_fp16.h", "cuda_fp8.h",
      "cuda_pipeline.h",      "cuda_runtime.h", "mma.h"};
  return name.starts_with("cuda/") || name.starts_with("cooperative_groups/") ||
         std::ranges::find(cuda, name) != cuda.end() || find_provided(name) != nullptr;
}

bool minimal_suffices(const Pattern& pattern) {
  for (const ForeignInclude& foreign : pattern.included.foreign) {
    if (!is_known_header(foreign.name)) return false;
  }
  constexpr std::size_t prefix = std::string_view("cuda").size();
  return std::ranges::none_of(words_of(pattern), [&](const std::string& word) {
    const bool is_of_runtime = word.starts_with("cuda") && word.size() > prefix &&
                               is_letter(word[prefix]) && to_capital(word[prefix]) == word[prefix];
    return is_of_runtime || word.starts_with("tex") || word.starts_with("surf");
  });
}

bool has_plain_cooperative_groups(const Pattern& pattern) {
  const auto is_of_them = [](const ForeignInclude& foreign) {
    return foreign.name.starts_with("cooperative_groups");
  };
  if (std::ranges::none_of(pattern.included.foreign, is_of_them)) return false;
  const WordSet words = words_of(pattern);
  return std::ranges::none_of(std::array{"cuda", "std", "thrust", "cub"},
                              [&](const char* name) { return words.contains(name); });
}

}  // namespace sweep
