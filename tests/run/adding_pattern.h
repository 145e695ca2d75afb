#pragma once

namespace sweep {

/// The text of the pattern `add`: K is added to 64 integers; 13 does not compile.
inline const char* const adding_pattern = R"cuda(/* pattern:
parameters: {K: 1}
buffers: {data: {type: int, length: 64, init: "i"}}
launch: {grid: 1, block: 64}
useful: {read: 256}
verify: "data[i] == i + K"
*/
static_assert(K != 13, "unlucky");
__global__ void add(int* data) { data[threadIdx.x] += K; }
)cuda";

}  // namespace sweep
