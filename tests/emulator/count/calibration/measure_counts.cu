// Measures what the hardware counts for single warp instructions: the source of the golden files
// h200_shared_cases.csv and h200_global_cases.csv, for one of `shared` and `global`. To regenerate
// one, on a GPU, as a user who may read its counters:
//   nvcc -std=c++20 -O2 -arch=native -o measure_counts measure_counts.cu -lcupti -lcuda
//   ./measure_counts shared < ../h200_shared_cases.csv > new.csv
// The input's first four columns are the cases: op,width,mask,addresses. A token of `addresses` is
// one byte offset, or first:step*n for n of them; one for each active lane, rising.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <sstream>

#include "one_access_kernels.cuh"
#include "range_counter.cuh"

namespace {

constexpr int shared_bytes = 96 * 1024;
constexpr int global_bytes = 1 << 24;
constexpr int cases_at_once = 200;

using Kernel = void (*)(Access, char*, std::uint32_t*);

struct Case {
  std::string text;
  std::string counter;  ///< ld, st, red or atom, as the metrics' names end
  Kernel kernel = nullptr;
  Access access{};
};

template <bool in_shared>
Kernel find_kernel(const std::string& op, int width) {
#define MEMORY(NAME, WIDTH) \
  if (op == #NAME && width == WIDTH) return one_access<in_shared, Op::NAME, WIDTH>;
#define MEMORY_ALL(NAME) \
  MEMORY(NAME, 1) MEMORY(NAME, 2) MEMORY(NAME, 4) MEMORY(NAME, 8) MEMORY(NAME, 16)
#define ATOMIC(NAME) MEMORY(NAME, 4) MEMORY(NAME, 8)
  MEMORY_ALL(ld)
  MEMORY_ALL(st) ATOMIC(red_add) ATOMIC(red_one) ATOMIC(red_max) ATOMIC(atom_add) ATOMIC(atom_one)
      ATOMIC(atom_max) ATOMIC(atom_cas)
#undef ATOMIC
#undef MEMORY_ALL
#undef MEMORY
          return nullptr;
}

std::vector<std::uint32_t> read_addresses(const std::string& text) {
  std::vector<std::uint32_t> addresses;
  std::istringstream tokens(text);
  for (std::string token; tokens >> token;) {
    long first = 0, step = 0, count = 1;
    std::sscanf(token.c_str(), "%ld:%ld*%ld", &first, &step, &count);
    for (long i = 0; i < count; ++i)
      addresses.push_back(static_cast<std::uint32_t>(first + i * step));
  }
  return addresses;
}

Case read_case(const std::string& line, bool in_shared) {
  std::istringstream fields(line);
  std::string op, width, mask, addresses;
  std::getline(fields, op, ',');
  std::getline(fields, width, ',');
  std::getline(fields, mask, ',');
  std::getline(fields, addresses, ',');
  Case result;
  result.text = op + ',' + width + ',' + mask + ',' + addresses;
  result.counter = op.substr(0, op.find('_'));
  if (in_shared && result.counter == "red") result.counter = "atom";
  result.kernel = in_shared ? find_kernel<true>(op, std::stoi(width))
                            : find_kernel<false>(op, std::stoi(width));
  result.access.mask = static_cast<std::uint32_t>(std::stoul(mask, nullptr, 16));
  const std::vector<std::uint32_t> offsets = read_addresses(addresses);
  std::size_t next = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (result.access.mask >> lane & 1) result.access.offset[lane] = offsets.at(next++);
  if (result.kernel == nullptr || next != offsets.size()) {
    std::cerr << "not a case: " << line << '\n';
    std::exit(1);
  }
  return result;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::cerr << cudaGetErrorString(error) << '\n';
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string space = argc == 2 ? argv[1] : "";
  const bool in_shared = space == "shared";
  if (!in_shared && space != "global") {
    std::cerr << "usage: measure_counts shared|global < cases.csv\n";
    return 2;
  }
  const std::array<std::string, 2> prefixes =
      in_shared ? std::array<std::string, 2>{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_",
                                             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"}
                : std::array<std::string, 2>{"l1tex__t_requests_pipe_lsu_mem_global_op_",
                                             "l1tex__t_sectors_pipe_lsu_mem_global_op_"};
  std::vector<std::string> metrics;
  std::map<std::string, std::size_t> first_metric;
  for (const char* op : {"ld", "st", "red", "atom"}) {
    if (in_shared && op == std::string("red")) continue;
    first_metric[op] = metrics.size();
    for (const std::string& prefix : prefixes) metrics.push_back(prefix + op + ".sum");
  }

  std::vector<Case> cases;
  for (std::string line; std::getline(std::cin, line);)
    if (!line.starts_with("op,")) cases.push_back(read_case(line, in_shared));

  char* global = nullptr;
  std::uint32_t* sink = nullptr;
  check(cudaMalloc(&global, global_bytes));
  check(cudaMemset(global, 0, global_bytes));
  check(cudaMalloc(&sink, sizeof *sink));
  for (const Case& one : cases)
    check(cudaFuncSetAttribute(one.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared_bytes));
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  RangeCounter counter(context, metrics);

  std::cout << "op,width,mask,addresses,"
            << (in_shared ? "wavefronts,conflicts" : "requests,sectors") << '\n';
  for (std::size_t first = 0; first < cases.size(); first += cases_at_once) {
    const int count = static_cast<int>(std::min<std::size_t>(cases_at_once, cases.size() - first));
    const auto values = counter.count(count, [&](int i) {
      const Case& one = cases[first + static_cast<std::size_t>(i)];
      one.kernel<<<1, 32, shared_bytes>>>(one.access, global, sink);
      check(cudaGetLastError());
      check(cudaDeviceSynchronize());
    });
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Case& one = cases[first + i];
      const std::size_t metric = first_metric.at(one.counter);
      std::cout << one.text << ',' << values[i].at(metric) << ',' << values[i].at(metric + 1)
                << '\n';
    }
  }
}
