extern "C" __global__ void divergent(int* data, int n) {
  int x = data[threadIdx.x];
  while (x > n) x = x & 1 ? 3 * x + 1 : x / 2;
  switch (x) {
    case 0: x += 5; break;
    case 1: x = data[7] * 3; break;
    case 2: data[2] = x; break;
    case 3: atomicAdd(data + 3, x); break;
    case 4: data[11] = 3; return;
    default: break;
  }
  data[threadIdx.x] = x;
}
