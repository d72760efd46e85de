#include "array.h"

extern "C" void kernel(Array<double, 1> a, Array<double, 1> &out) {
  double total = 0;
  for (int64_t i = 0; i < a.shape[0]; ++i)
    total += a(i);
  double least = a(0), greatest = a(0);
  for (int64_t i = 0; i < a.shape[0]; ++i) {
    if (a(i) < least)
      least = a(i);
    if (a(i) > greatest)
      greatest = a(i);
  }
  out = empty<double>(4);
  out(0) = total;
  out(1) = total / a.shape[0];
  out(2) = least;
  out(3) = greatest;
}
