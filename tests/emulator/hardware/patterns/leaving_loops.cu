/* pattern:
summary: Lanes that leave a loop in different iterations, by different ways
help: >-
  Where all ways out of a loop end the thread (0 and 5), or lead there past a jump (6), the compiler
  of the hardware's code gathers lanes on one of the ways and not on the others; the emulator does
  not foresee which.
parameters:
  KIND: {default: 1, min: 0, max: 8, help: "0 exit, 1 break, 2 jump to a shared end, 3 return of a function, 4 continue, 5 an exit in an if in a loop, 6 breaks out of two loops, 7 two ways to one exit, 8 a loop that runs once at least"}
buffers:
  in:  {type: int32_t, length: 1024, init: "int(uint32_t(i) * 2654435761u >> 10) % 512"}
  out: {type: int32_t, length: 2048, init: "-1"}
launch: {grid: 8, block: 128}
useful: {read: 1024 * 4, write: 1024 * 4}
verify: {out: "true"}
*/
__device__ int walk(const int32_t* in, int value) {
  for (int step = 0; step < value % 7; ++step) {
    value += in[value % 1024];
    if (value % 5 == 4) return in[value % 333];
  }
  return value;
}

__global__ void leaving_loops(const int32_t* in, int32_t* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  int value = in[i];
  if constexpr (KIND == 0) {
    for (int step = 0; step < value % 7; ++step) {
      value += in[value % 1024];
      if (value % 5 == 4) {
        out[i] = value;
        return;
      }
    }
    out[i + 1024] = value;
  } else if constexpr (KIND == 1) {
    for (int step = 0; step < value % 7; ++step) {
      value += in[value % 1024];
      if (value % 5 == 4) {
        out[i] = value;
        break;
      }
    }
    out[i + 1024] = value;
  } else if constexpr (KIND == 2) {
    if (value % 3 == 0) goto end;
    value += in[value];
    if (value % 3 == 1) goto end;
    out[i + 1024] = value;
    return;
  end:
    out[i] = value;
  } else if constexpr (KIND == 3) {
    out[i] = walk(in, value);
  } else if constexpr (KIND == 4) {
    for (int step = 0; step < 12; ++step) {
      value += in[value % 1024];
      if (value % 4 == 0) {
        out[i] = value;
        continue;
      }
      out[i + 1024] += value;
      if (value % 17 == 4) break;
      value ^= in[value % 511];
    }
  } else if constexpr (KIND == 5) {
    if (value % 2 == 0) {
      for (int step = 0; step < value % 7; ++step) {
        value += in[value % 1024];
        if (value % 5 == 4) {
          out[i] = value;
          return;
        }
      }
      out[i] = value + 1;
    }
    out[i + 1024] = value;
  } else if constexpr (KIND == 7) {
    for (int step = 0; step < 9; ++step) {
      value += in[value % 1024];
      if (value % 5 == 4) goto leave;
      value ^= in[value % 511];
      if (value % 7 == 4) goto leave;
    }
    out[i + 1024] = value;
    return;
  leave:
    out[i] = value;
  } else if constexpr (KIND == 8) {
    int steps = 0;
    do {
      value += in[value % 1024];
    } while (++steps <= value % 6);
    out[i] = value;
  } else {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < value % 5; ++b) {
        value += in[(value + b) % 1024];
        if (value % 7 == 3) {
          out[i] = value;
          goto over;
        }
      }
      out[i + 1024] = value;
    }
  over:
    if (value % 2 == 0) out[i] = value;
  }
}
