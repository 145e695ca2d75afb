/* pattern:
summary: Loads and stores with a word to the caches
parameters:
  T:    {type: element, default: float}
  KIND: {default: 0, min: 0, max: 5, help: "0 read-only, 1 streaming, 2 L2 only, 3 volatile, 4 last use, 5 written through"}
buffers:
  in:  {type: T, length: 2048, init: "splat<T>(i * 7 % 127)"}
  out: {type: T, length: 2048, init: "splat<T>(1)"}
launch: {grid: 8, block: 128}
useful: {read: 1024 * sizeof(T), write: 1024 * sizeof(T)}
verify: {out: "true"}
*/
template <class V>
__device__ void move(const V* from, V* to) {
  if constexpr (KIND == 0) *to = __ldg(from);
  if constexpr (KIND == 1) __stcs(to, __ldcs(from));
  if constexpr (KIND == 2) __stcg(to, __ldcg(from));
  if constexpr (KIND == 3) *const_cast<volatile V*>(to) = *const_cast<const volatile V*>(from);
  if constexpr (KIND == 4) __stwb(to, __ldlu(from));
  if constexpr (KIND == 5) __stwt(to, __ldcv(from));
}

__global__ void hinted(const T* in, T* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  move(in + 2 * i, out + i);
}
