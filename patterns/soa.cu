/* pattern:
summary: Move particles by their velocity; an array for each field, a particle per thread
family: structures
help: >-
  The same work as aos. Neighbouring threads are neighbouring floats in every array: each load and
  each store touches 4 sectors in one line, all of it wanted.
reference: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  BLOCK: {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES: {default: 1 Gi, min: 1, help: size of all particles together}
  N:
    default: BYTES / (24 * BLOCK) * BLOCK
    min: 1
    help: particles; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  x: {type: float, length: N, init: "i % 101"}
  y: {type: float, length: N, init: "i % 103"}
  z: {type: float, length: N, init: "i % 107"}
  velocity_x: {type: float, length: N, init: "i % 11"}
  velocity_y: {type: float, length: N, init: "i % 13"}
  velocity_z: {type: float, length: N, init: "i % 17"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 6 * sizeof(float), write: N * 3 * sizeof(float)}
verify:
  x: "x[i] == i % 101 + i % 11"
  y: "y[i] == i % 103 + i % 13"
  z: "z[i] == i % 107 + i % 17"
*/
__global__ void soa(float* x, float* y, float* z, const float* velocity_x,
                    const float* velocity_y, const float* velocity_z) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  x[i] += velocity_x[i];
  y[i] += velocity_y[i];
  z[i] += velocity_z[i];
}
