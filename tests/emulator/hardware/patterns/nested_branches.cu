/* pattern:
summary: Nested conditions, a switch and a short circuit, with loads and stores in every arm
buffers:
  in:  {type: int32_t, length: 2048, init: "int(uint32_t(i) * 2654435761u >> 8) % 1000"}
  out: {type: int32_t, length: 2048, init: "-1"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 4, write: 2048 * 4}
verify: {out: "true"}
*/
__global__ void nested_branches(const int32_t* in, int32_t* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  int value = in[i];
  if (value % 2 == 0) {
    if (value % 3 == 0) {
      out[i] = in[2047 - i] * 3;
      if (value % 5 == 0) value += in[value];
    } else if (value > 500 && in[value] < 300) {
      out[i] = in[value] - value;
    }
  } else {
    switch (value % 7) {
      case 0: value ^= in[value + 1]; break;
      case 1: value -= in[value + 3];
      case 2: value *= 5; break;
      case 4: out[i] = value; return;
      case 5: value = in[value % 32]; break;
      default: value = ~value;
    }
    out[i] = value + in[i ^ 1];
  }
  if (value % 4 == 1) out[i] += value;
}
