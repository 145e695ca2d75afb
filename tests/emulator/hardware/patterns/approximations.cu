/* pattern:
summary: The fast functions of float, each within the bounds that the PTX ISA gives
help: >-
  The hardware's own values are not documented, so that the buffer's contents differ between
  devices and the emulator; verify holds all of them against results in double.
origin: PTX ISA, sections sin, cos, ex2, lg2, rcp, rsqrt, sqrt, div, tanh
parameters:
  FUNCTION: {default: 0, min: 0, max: 8, help: "0 sin, 1 cos, 2 ex2, 3 lg2, 4 rcp, 5 rsqrt, 6 sqrt, 7 div, 8 tanh"}
buffers:
  in:          {type: float, length: 2048, init: "number(i)"}
  approximate: {type: float, length: 2048, init: "1"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 4, write: 2048 * 4}
verify: {approximate: "is_close(in[i], approximate[i])"}
*/
__device__ float number(size_t i) {
  const unsigned bits = unsigned(i + 1) * 2654435761u;
  const float part = float(bits >> 8) / 16777216.0f;
  switch (FUNCTION) {
    case 0: case 1: return (part * 2 - 1) * 3.1415927f;
    case 2: return (part * 2 - 1) * 100;
    case 8: return (part * 2 - 1) * 6;
    default: return __uint_as_float((1 + bits % 253) << 23 | (bits >> 5 & 0x7fffff));
  }
}

__device__ float divisor(float x) { return 1.5f + x * 0 + float(__float_as_uint(x) % 1000); }

__device__ float approximation(float x) {
  float result = 0;
  switch (FUNCTION) {
    case 0: asm("sin.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 1: asm("cos.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 2: asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 3: asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 4: asm("rcp.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 5: asm("rsqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 6: asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
    case 7: asm("div.approx.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(divisor(x))); break;
    default: asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x)); break;
  }
  return result;
}

__device__ double precise(double x) {
  switch (FUNCTION) {
    case 0: return sin(x);
    case 1: return cos(x);
    case 2: return exp2(x);
    case 3: return log2(x);
    case 4: return 1 / x;
    case 5: return 1 / sqrt(x);
    case 6: return sqrt(x);
    case 7: return x / double(divisor(float(x)));
    default: return tanh(x);
  }
}

/// sin, cos: 2^-20.5 absolute. lg2: 2^-22 absolute between 0.5 and 2, else 2^-22 relative. ex2, div:
/// 2 units in the last place. rcp: 1, rsqrt: 2^-22.9, sqrt: 2^-23 and tanh: 2^-11, relative. Results
/// below the normal numbers are only as exact as their spacing.
__device__ bool is_close(float x, float found) {
  const double exact = precise(double(x));
  const double bounds[] = {6.8e-7, 6.8e-7, 2.4e-7, 2.4e-7, 1.2e-7, 1.3e-7, 1.2e-7, 2.4e-7, 4.9e-4};
  const bool is_absolute = FUNCTION < 2 || (FUNCTION == 3 && fabs(exact) < 1);
  const double size = is_absolute ? 1 : fabs(exact);
  return fabs(double(found) - exact) <= bounds[FUNCTION] * size + 1.5e-45;
}

__global__ void approximations(const float* in, float* approximate) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  approximate[i] = approximation(in[i]);
}
