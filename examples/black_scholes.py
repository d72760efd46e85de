"""European call and put options, priced by the Black-Scholes formula."""

import math

import numpy as np
from demo import Demo
from numjit import njit
from scipy.special import ndtr


@njit
def normal_cdf(x):
    return 0.5 + 0.5 * math.erf(x * 0.7071067811865476)


@njit
def black_scholes(price, strike, years, rate, volatility, call, put):
    for i in range(len(price)):
        spread = volatility * math.sqrt(years[i])
        drift = (rate + 0.5 * volatility * volatility) * years[i]
        d1 = (math.log(price[i] / strike[i]) + drift) / spread
        d2 = d1 - spread
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * normal_cdf(d1) - discounted * normal_cdf(d2)
        put[i] = discounted * normal_cdf(-d2) - price[i] * normal_cdf(-d1)
    return call


def options(n):
    random = np.random.default_rng(1)
    price, strike = random.uniform(10, 50, n), random.uniform(10, 50, n)
    return price, strike, random.uniform(0.5, 2, n), 0.02, 0.3, np.empty(n), np.empty(n)


def load():
    return options(200_000)


def small():
    return options(5_000)


def with_numpy(price, strike, years, rate, volatility, call, put):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    call[:] = price * ndtr(d1) - discounted * ndtr(d2)
    put[:] = discounted * ndtr(-d2) - price * ndtr(-d1)
    return call


DEMOS = [Demo("Black-Scholes", black_scholes, load, small, scale=40, numpy=with_numpy)]
