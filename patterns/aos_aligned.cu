/* pattern:
summary: Add to every field of an array of structures, moving ALIGN bytes of a structure at once
family: structures
help: >-
  A load of several fields at once needs an alignment that the compiler knows: alignas(16) lets it
  move 16 bytes, where a struct of floats alone promises 4. A structure of 4 * FIELDS bytes then
  takes 4 * FIELDS / ALIGN loads, and every sector is asked for that many times less often. Compare
  aos, which is ALIGN = 4.
origin: CUDA C++ Programming Guide, "Device Memory Accesses"
parameters:
  FIELDS: {default: 4, min: 1, max: 32, help: floats in a structure}
  ALIGN:  {default: 16, min: 4, max: 16, help: "bytes that a structure is aligned to: 4, 8 or 16"}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of all structures together}
  N:
    default: BYTES / (4 * FIELDS * BLOCK) * BLOCK
    min: 1
    help: structures; by default as many as cover BYTES
structs: {Record: 4 * FIELDS}
require:
  - is_pow2(ALIGN)
  - 4 * FIELDS % ALIGN == 0
  - N % BLOCK == 0
buffers:
  records: {type: Record, length: N, init: "first_record(i)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(Record), write: N * sizeof(Record)}
verify: "has_been_added_to(records[i], first_record(i))"
*/
struct alignas(ALIGN) Record {
  float fields[FIELDS];
};

__global__ void aos_aligned(Record* records) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  Record record = records[i];
  for (int field = 0; field < FIELDS; ++field) record.fields[field] += field + 1;
  records[i] = record;
}

__device__ Record first_record(size_t i) {
  Record record;
  for (int field = 0; field < FIELDS; ++field) record.fields[field] = (i * FIELDS + field) % 101;
  return record;
}

__device__ bool has_been_added_to(const Record& now, const Record& then) {
  for (int field = 0; field < FIELDS; ++field) {
    if (now.fields[field] != then.fields[field] + (field + 1)) return false;
  }
  return true;
}
