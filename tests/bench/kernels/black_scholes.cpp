#include "array.h"

static double normal_cdf(double x) { return 0.5 + 0.5 * std::erf(x * 0.7071067811865476); }

extern "C" void kernel(Array<double, 1> price, Array<double, 1> strike, Array<double, 1> years,
                       double rate, double volatility, Array<double, 1> call,
                       Array<double, 1> put) {
  for (int64_t i = 0; i < price.shape[0]; ++i) {
    const double spread = volatility * std::sqrt(years(i));
    const double drift = (rate + 0.5 * volatility * volatility) * years(i);
    const double d1 = (std::log(price(i) / strike(i)) + drift) / spread;
    const double d2 = d1 - spread;
    const double discounted = strike(i) * std::exp(-rate * years(i));
    call(i) = price(i) * normal_cdf(d1) - discounted * normal_cdf(d2);
    put(i) = discounted * normal_cdf(-d2) - price(i) * normal_cdf(-d1);
  }
}
