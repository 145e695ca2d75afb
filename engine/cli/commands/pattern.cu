/* pattern:
# What it does, in a line: 'sweep list patterns' shows it.
summary: Copy with the two halves of a warp GAP elements apart
# Optional, for readers: its family among the patterns, what to look at, where it comes from.
family: my own
help: >-
  The second half of each warp reads from GAP elements further on. What does it cost that a request
  touches two places?
# origin: a paper, a manual, an address

# The kernel's constants. A sweep gives their values; the defaults hold for what it does not name.
parameters:
  T:     {type: element, default: float, help: what is copied}
  GAP:   {default: 0, min: 0, max: 1 Mi, help: extra distance of the second half in elements}
  BLOCK: {default: 256, min: 32, max: 1024, help: threads per block}
  N:     {default: 16 Mi, min: 32, help: elements to copy}
# Conditions that every configuration satisfies; those that break one are left out.
require:
  - BLOCK % 32 == 0
  - N % BLOCK == 0
# structs: {Particle: 24}   # sizes in bytes of types that this file defines

# The arrays that the kernel gets, in this order. 'init' is a CUDA expression in the element's
# index i; a buffer without it starts as bytes of 0xff.
buffers:
  in:  {type: T, length: N + GAP, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
# arguments: {n: {type: int64_t, value: N}}   # scalars after the buffers
# kernel: halves<T, BLOCK>   # one of another name, in a file that is included: sweep help kernel
# compile: {fast_math: true}   # how to compile it: sweep help compiling
# constants: {weights: {init: 1.0f / (i + 1)}}   # what a __constant__ variable holds

# Blocks and threads, each one number or up to three; 'shared' is dynamic shared memory in bytes.
launch: {grid: N / BLOCK, block: BLOCK, shared: 0}
# steps: [{kernel: sums, arguments: [in, out], grid: 8, block: 256}]   # several launches instead
# The bytes that the algorithm needs: bandwidth is these over time.
useful: {read: N * sizeof(T), write: N * sizeof(T)}
# metrics: {rate: {value: N / time / 1e9, unit: G/s, better: higher}}   # of your own
# reference: {kernel: plain, arguments: [in, out, N], grid: N / 256, block: 256}   # a plain kernel
# whose results are compared with in the place of an expression: sweep help pattern
# Holds for every i after exactly one launch; a configuration for which it does not is never timed.
verify: {out: "out[i] == splat<T>((i + (i % 32 < 16 ? 0 : GAP)) % 101)"}
*/
// The kernel has the file's name; parameters are constants in it.
__global__ void NEW_PATTERN(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[i + (threadIdx.x % 32 < 16 ? 0 : GAP)];
}
