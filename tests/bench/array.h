// What the C++ kernels need: contiguous arrays as plain values, laid out as cpp.py passes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

template <class T, int N>
struct Array {
  T *data;
  int64_t shape[N];

  template <class... Index>
  T &operator()(Index... index) const {
    static_assert(sizeof...(Index) == N);
    const int64_t indices[] = {int64_t(index)...};
    int64_t offset = indices[0];
    for (int axis = 1; axis < N; ++axis)
      offset = offset * shape[axis] + indices[axis];
    return data[offset];
  }

  int64_t size() const {
    int64_t product = 1;
    for (int64_t extent : shape)
      product *= extent;
    return product;
  }
};

// A new zeroed array. The caller of the kernel frees results with free(), so heap blocks are
// recycled between calls as they are for the Python engines.
template <class T, class... Shape>
Array<T, sizeof...(Shape)> zeros(Shape... shape) {
  Array<T, sizeof...(Shape)> array{nullptr, {int64_t(shape)...}};
  array.data = static_cast<T *>(std::calloc(array.size(), sizeof(T)));
  return array;
}

template <class T, class... Shape>
Array<T, sizeof...(Shape)> empty(Shape... shape) {
  Array<T, sizeof...(Shape)> array{nullptr, {int64_t(shape)...}};
  array.data = static_cast<T *>(std::malloc(array.size() * sizeof(T)));
  return array;
}
