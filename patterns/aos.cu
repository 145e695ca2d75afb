/* pattern:
summary: Move particles by their velocity; an array of structures, a particle per thread
family: structures
help: >-
  Neighbouring threads are a structure of 24 bytes apart, so that a load of one field touches 24
  sectors in 6 lines for 128 bytes. The other fields in those sectors are wanted too, a moment later
  - what the caches keep until then is not read twice. Compare soa.
reference: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  BLOCK: {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES: {default: 1 Gi, min: 1, help: size of all particles together}
  N:
    default: BYTES / (24 * BLOCK) * BLOCK
    min: 1
    help: particles; by default as many as cover BYTES
structs: {Particle: 24}
require:
  - N % BLOCK == 0
buffers:
  particles: {type: Particle, length: N, init: "first_particle(i)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 6 * sizeof(float), write: N * 3 * sizeof(float)}
verify: "has_moved_once(particles[i], first_particle(i))"
*/
struct Particle {
  float x, y, z;
  float velocity_x, velocity_y, velocity_z;
};

__global__ void aos(Particle* particles) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  particles[i].x += particles[i].velocity_x;
  particles[i].y += particles[i].velocity_y;
  particles[i].z += particles[i].velocity_z;
}

__device__ Particle first_particle(size_t i) {
  return {float(i % 101), float(i % 103), float(i % 107),
          float(i % 11),  float(i % 13),  float(i % 17)};
}

__device__ bool has_moved_once(const Particle& now, const Particle& then) {
  return now.x == then.x + then.velocity_x && now.y == then.y + then.velocity_y &&
         now.z == then.z + then.velocity_z && now.velocity_x == then.velocity_x &&
         now.velocity_y == then.velocity_y && now.velocity_z == then.velocity_z;
}
