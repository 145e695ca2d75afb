/* pattern:
summary: What the lanes of a warp tell each other, by whole warps or those lanes that take a branch
parameters:
  PARTIAL: {type: boolean, default: false, help: only some lanes take part}
buffers:
  in:  {type: uint32_t, length: 512, init: "uint32_t(i) * 2654435761u >> 7"}
  out: {type: uint32_t, length: 512 * 20, init: "0"}
launch: {grid: 4, block: 128}
useful: {read: 512 * 4, write: 512 * 80}
verify: {out: "true"}
*/
__global__ void warp_functions(const uint32_t* in, uint32_t* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const unsigned members = PARTIAL ? 0x7b3f19c5u : ~0u;
  const unsigned value = in[i];
  if (!(members >> lane & 1)) return;
  unsigned* to = out + i;
  const auto put = [&](unsigned result) { *to = result; to += 512; };
  put(PARTIAL ? __shfl_sync(members, value, 0) : __shfl_sync(members, value, (lane * 5 + 3) % 32));
  if constexpr (!PARTIAL) {
    put(__shfl_up_sync(members, value, 3));
    put(__shfl_down_sync(members, value, 7, 16));
    put(__shfl_xor_sync(members, value, 13));
    put(__shfl_sync(members, value, lane + 1, 8));
    const unsigned long long wide = (unsigned long long)(value) << 20 | lane;
    put(unsigned(__shfl_xor_sync(members, wide, 1) >> 16));
  }
  put(__ballot_sync(members, value % 3 == 0));
  put(__any_sync(members, value % 64 == 5) * 2 + __all_sync(members, value != 77));
  put(__match_any_sync(members, value % 4));
  int all = 0;
  put(__match_all_sync(members, value >> 30, &all) + unsigned(all));
  put(__reduce_add_sync(members, value % 1000));
  put(__reduce_min_sync(members, int(value) - (1 << 24)));
  put(__reduce_max_sync(members, value));
  put(__reduce_and_sync(members, value | 0xff));
  put(__reduce_or_sync(members, value));
  put(__reduce_xor_sync(members, value));
}
