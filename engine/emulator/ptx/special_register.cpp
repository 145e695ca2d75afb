#include "engine/emulator/ptx/special_register.h"

#include <algorithm>
#include <array>

namespace sweep::ptx {
namespace {

/// Vectors of three, or four with an unused last one; alone they name all of it.
constexpr std::array<std::string_view, 8> vectors = {
    "%tid",       "%ntid",       "%ctaid",         "%nctaid",
    "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

constexpr std::array<std::string_view, 27> scalars = {"%laneid",
                                                      "%warpid",
                                                      "%nwarpid",
                                                      "%smid",
                                                      "%nsmid",
                                                      "%gridid",
                                                      "%is_explicit_cluster",
                                                      "%cluster_ctarank",
                                                      "%cluster_nctarank",
                                                      "%lanemask_eq",
                                                      "%lanemask_le",
                                                      "%lanemask_lt",
                                                      "%lanemask_ge",
                                                      "%lanemask_gt",
                                                      "%clock",
                                                      "%clock_hi",
                                                      "%clock64",
                                                      "%globaltimer",
                                                      "%globaltimer_lo",
                                                      "%globaltimer_hi",
                                                      "%total_smem_size",
                                                      "%aggr_smem_size",
                                                      "%dynamic_smem_size",
                                                      "%current_graph_exec",
                                                      "%reserved_smem_offset_begin",
                                                      "%reserved_smem_offset_end",
                                                      "%reserved_smem_offset_cap"};

/// `prefix` and a number below `count`.
bool is_numbered(std::string_view name, std::string_view prefix, unsigned count) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (name.empty() || name.size() > 2) return false;
  unsigned number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number < count;
}

}  // namespace

bool is_special_register(std::string_view name) {
  if (std::find(scalars.begin(), scalars.end(), name) != scalars.end()) return true;
  std::string_view vector = name;
  if (name.size() > 2 && name[name.size() - 2] == '.' &&
      std::string_view("xyzw").find(name.back()) != std::string_view::npos) {
    vector = name.substr(0, name.size() - 2);
  }
  if (std::find(vectors.begin(), vectors.end(), vector) != vectors.end()) return true;
  if (name.ends_with("_64") && is_numbered(name.substr(0, name.size() - 3), "%pm", 8)) return true;
  return is_numbered(name, "%pm", 8) || is_numbered(name, "%envreg", 32) ||
         is_numbered(name, "%reserved_smem_offset_", 2);
}

}  // namespace sweep::ptx
