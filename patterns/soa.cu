/* pattern:
summary: Add to the first USED of FIELDS fields; a structure of arrays, an element per thread
family: structures
help: >-
  The same work as aos. Neighbouring threads are neighbouring floats in the array of every field:
  each load and each store touches 4 sectors in one line, all of it wanted. Fields that nobody uses
  are never moved. The arrays stand one after another in one buffer.
origin: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  FIELDS: {default: 6, min: 1, max: 32, help: "floats in a structure: the number of arrays"}
  USED:   {default: FIELDS, min: 1, max: 32, help: fields from the first that are read and written}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of all arrays together}
  N:
    default: BYTES / (4 * FIELDS * BLOCK) * BLOCK
    min: 1
    help: elements of each array; by default as many as cover BYTES
require:
  - USED <= FIELDS
  - N % BLOCK == 0
buffers:
  fields: {type: float, length: FIELDS * N, init: "i % 101"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * USED * sizeof(float), write: N * USED * sizeof(float)}
verify: "fields[i] == i % 101 + (i / N < USED ? i / N + 1 : 0)"
*/
__global__ void soa(float* fields) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  for (int field = 0; field < USED; ++field) fields[field * N + i] += field + 1;
}
