/* pattern:
summary: Structs of 24 bytes, of which one member, two, or all are moved
parameters:
  MEMBERS: {default: 1, min: 1, max: 6}
structs: {Particle: 24}
buffers:
  data: {type: Particle, length: 1024, init: "Particle{{float(i), 1, 2, 3, 4, float(i % 5)}}"}
launch: {grid: 8, block: 128}
useful: {read: 1024 * 4 * MEMBERS, write: 1024 * 4 * MEMBERS}
verify: "true"
*/
struct Particle {
  float member[6];
};

__global__ void particles(Particle* data) {
  Particle& particle = data[blockIdx.x * 128 + threadIdx.x];
#pragma unroll
  for (int m = 0; m < MEMBERS; ++m) particle.member[m] += 0.5f;
}
