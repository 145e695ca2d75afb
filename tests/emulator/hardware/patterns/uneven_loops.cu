/* pattern:
summary: Loops whose trip counts differ from lane to lane, with loads, breaks and continues
parameters:
  KIND: {default: 0, min: 0, max: 2, help: "0 Collatz, 1 walks with breaks, 2 a loop in a loop"}
buffers:
  in:  {type: uint32_t, length: 1024, init: "uint32_t(i) * 2654435761u >> 12"}
  out: {type: uint32_t, length: 1024, init: "7"}
launch: {grid: 8, block: 128}
useful: {read: 1024 * 4, write: 1024 * 4}
verify: {out: "true"}
*/
__global__ void uneven_loops(const uint32_t* in, uint32_t* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  unsigned value = in[i], steps = 0;
  if constexpr (KIND == 0) {
    for (value = value % 1000 + 1; value != 1; ++steps)
      value = value % 2 == 0 ? value / 2 : 3 * value + 1;
  } else if constexpr (KIND == 1) {
    unsigned at = i;
    for (; steps < 40; ++steps) {
      at = in[at % 1024];
      if (at % 4 == 0) continue;
      if (at % 13 == 5) break;
      value += at;
    }
  } else {
    for (unsigned a = 0; a < value % 9; ++a)
      for (unsigned b = a; b < i % 5 + a; ++b) steps += in[(a * 32 + b + i) % 1024] % 3 + 1;
  }
  out[i] = steps ^ value;
}
