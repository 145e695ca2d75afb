/* pattern:
summary: Add to the first USED of FIELDS fields; structures in interleaved groups of WIDTH
family: structures
help: >-
  An array of structures of arrays: WIDTH values of one field stand side by side, then WIDTH of the
  next, so that all fields of a structure stay near each other. WIDTH = 32 gives a warp 4 sectors in
  one line for each field, as soa does. WIDTH = 8 still has 4 sectors, but in several lines; below
  that a load touches min(32 / WIDTH, 4 * FIELDS) sectors. WIDTH = 1 is aos.
origin: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  FIELDS: {default: 6, min: 1, max: 32, help: floats in a structure}
  USED:   {default: FIELDS, min: 1, max: 32, help: fields from the first that are read and written}
  WIDTH:  {default: 32, min: 1, max: 1024, help: structures that are interleaved}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of all structures together}
  N:
    default: BYTES / (4 * FIELDS * BLOCK) * BLOCK
    min: 1
    help: structures; by default as many as cover BYTES
require:
  - USED <= FIELDS
  - N % BLOCK == 0
  - N % WIDTH == 0
buffers:
  fields: {type: float, length: FIELDS * N, init: "i % 101"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * USED * sizeof(float), write: N * USED * sizeof(float)}
verify: "fields[i] == i % 101 + (i / WIDTH % FIELDS < USED ? i / WIDTH % FIELDS + 1 : 0)"
*/
__global__ void aosoa(float* fields) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  const size_t group = i / WIDTH;
  for (int field = 0; field < USED; ++field) {
    fields[(group * FIELDS + field) * WIDTH + i % WIDTH] += field + 1;
  }
}
