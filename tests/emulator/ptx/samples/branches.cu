extern "C" __global__ void branches(int* data, int n) {
  int x = data[threadIdx.x];
  switch (n) {
    case 0: x += 5; break;
    case 1: x = data[7] * 3; break;
    case 2: data[2] = x; break;
    case 3: x ^= data[9]; break;
    case 4: atomicAdd(data + 3, x); break;
    case 5: x = x / (data[1] + 1); break;
    case 6: x = __popc(x) + data[4]; break;
    case 7: data[11] = 3; return;
    default: break;
  }
  for (int i = 0; i < x; ++i) data[i * 32 + threadIdx.x] = i;
}
