/* pattern:
summary: Add to the first USED of FIELDS fields; an array of structures, one per thread
family: structures
help: >-
  Neighbouring threads are a structure apart, so that a load of one field touches
  min(32, 4 * FIELDS) sectors in FIELDS lines for 128 bytes: 24 sectors in 6 lines for structures of
  24 bytes. Where the other fields are wanted too, a moment later, the caches may still have them;
  with USED = 1 the rest of every sector is moved for nothing. Compare soa and aosoa, and
  aos_aligned, which moves several fields at once.
origin: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  FIELDS: {default: 6, min: 1, max: 32, help: floats in a structure}
  USED:   {default: FIELDS, min: 1, max: 32, help: fields from the first that are read and written}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of all structures together}
  N:
    default: BYTES / (4 * FIELDS * BLOCK) * BLOCK
    min: 1
    help: structures; by default as many as cover BYTES
structs: {Record: 4 * FIELDS}
require:
  - USED <= FIELDS
  - N % BLOCK == 0
buffers:
  records: {type: Record, length: N, init: "first_record(i)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * USED * sizeof(float), write: N * USED * sizeof(float)}
verify: "has_been_added_to(records[i], first_record(i))"
*/
struct Record {
  float fields[FIELDS];
};

__global__ void aos(Record* records) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  for (int field = 0; field < USED; ++field) records[i].fields[field] += field + 1;
}

__device__ Record first_record(size_t i) {
  Record record;
  for (int field = 0; field < FIELDS; ++field) record.fields[field] = (i * FIELDS + field) % 101;
  return record;
}

__device__ bool has_been_added_to(const Record& now, const Record& then) {
  for (int field = 0; field < FIELDS; ++field) {
    if (now.fields[field] != then.fields[field] + (field < USED ? field + 1 : 0)) return false;
  }
  return true;
}
