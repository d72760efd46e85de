"""Random numbers: the same as NumPy's RandomState and CPython's random give for a seed."""

import itertools
import random
import threading

import numpy as np
import pytest
from language.support import assert_same, check_same
from numjit import njit

SEEDS = 0, 1, 12345, 2**32 - 1


def function_of(expression, seeding):
    """def f(seed): seed, and give the value of the expression."""
    scope = {"np": np, "random": random}
    exec(f"def f(seed):\n    {seeding}(seed)\n    return {expression}", scope)
    return scope["f"]


def check_numpy(call, expected_call=None):
    """np.random.CALL gives what RandomState.CALL gives."""
    f = njit(function_of(f"np.random.{call}", "np.random.seed"))
    for seed in SEEDS:
        state = np.random.RandomState(seed)
        expected = eval(f"state.{expected_call or call}", {"np": np, "state": state})
        check_same(f(seed), expected)


@pytest.mark.parametrize(
    "call",
    """random() random_sample() random_sample(None) random(5) random_sample((2,3)) rand() rand(3)
    rand(2,3) uniform() uniform(-1,3) uniform(-1.5,3,(2,2)) uniform(low=1,size=4)
    randn() randn(7) randn(2,3) standard_normal() standard_normal(4) normal() normal(2.0)
    normal(1,2,5) normal(loc=1.0,size=(3,1)) normal(size=0)""".split(),
)
def test_uniform_and_normal(call):
    check_numpy(call)


@pytest.mark.parametrize("name", ["ranf", "sample"])
def test_other_names(name):
    check_numpy(f"{name}()", "random_sample()")
    check_numpy(f"{name}((3, 2))", "random_sample((3, 2))")


@pytest.mark.parametrize(
    "call",
    """lognormal(0.5,1.2,50) exponential(2.0,50) exponential() standard_exponential(50)
    gamma(0.3,2.0,99) gamma(1.0,2.0,9) gamma(3.5,2.0,99) gamma(0.0,1.0,3) standard_gamma(2,(2,2))
    beta(0.5,0.5,99) beta(1e-3,1e-3,99) beta(2.0,3.0,99) chisquare(3,9) f(2,3,9) standard_t(3,9)
    noncentral_chisquare(3,2,50) noncentral_chisquare(0.5,2,50) noncentral_chisquare(3,0,50)
    noncentral_f(3,2,1.0,50) standard_cauchy(9) laplace(1,2,50) logistic(1,2,50) gumbel(1,2,50)
    pareto(3,50) power(3,50) rayleigh(2,99) weibull(2,50) weibull(0.0,5) triangular(0,1,3,50)
    vonmises(0.5,2,99) vonmises(0.5,1e-7,50) vonmises(0.5,1e-9,5) wald(1,2,99)""".split(),
)
def test_distributions(call):
    check_numpy(call)


@pytest.mark.parametrize(
    "call",
    """binomial(10,0.3,50) binomial(10,0.9) binomial(0,0.5,3) binomial(5,0.0,3) binomial(5,1.0,3)
    binomial(1000,0.3,500) binomial(1000,0.8,500) binomial(10**6,0.5,500) geometric(0.5,99)
    geometric(0.1,99) geometric(1.0,9) hypergeometric(10,5,7,99) hypergeometric(100,50,70,500)
    hypergeometric(50,100,70,500) hypergeometric(50,100,120,500) hypergeometric(3,4,1,5)
    logseries(0.7,500) negative_binomial(5,0.3,500) poisson() poisson(0.0,5) poisson(2.0,500)
    poisson(50.0,500) zipf(2.5,500) multinomial(20,np.array([.2,.3,.5]))
    multinomial(20,(.2,.3,.5),4) multinomial(100,np.array([.2,0,.8]),(2,2))
    multinomial(0,np.array([.5,.5]),3) dirichlet(np.array([1.,2.,.5]))
    dirichlet(np.array([1.,2.,.5]),4) dirichlet((3.,2.),(2,3))""".split(),
)
def test_distributions_of_integers_and_vectors(call):
    check_numpy(call)


@pytest.mark.parametrize(
    "call",
    """randint(10) randint(0,1) randint(0,10) randint(-5,1<<40) randint(10,size=50)
    randint(-(1<<62),1<<62,50) randint(0,1<<32,50) randint(0,(1<<32)-1,50) randint(0,3,(2,3))
    randint(0,256,50,np.uint8) randint(0,200,50,np.uint8) randint(-100,100,51,np.int16)
    randint(0,65536,9,np.uint16) randint(0,100000,50,np.int32) randint(0,1<<32,9,np.uint32)
    randint(0,2,70,np.bool_) randint(3,4,5,np.int8) randint(-(1<<63),(1<<63)-1,9)
    randint(0,1000,624) randint(-9,600,1300) randint(0,513,625,np.int32) randint(0,1,700)
    permutation(20) permutation(0) permutation(np.arange(20)*2.5)
    permutation(np.arange(20).reshape(5,4))
    choice(10) choice(10,5) choice(10,(2,3)) choice(10,5,False) choice(10,None,False)
    choice(10,(2,2),replace=False)
    choice(np.arange(5)*1.5) choice(np.arange(5)*1.5,7)
    choice(5,6,p=np.array([.1,.2,.3,.2,.2])) choice(5,p=np.array([.1,.2,.3,.2,.2]))
    choice(5,3,False,np.array([.1,.2,.3,.2,.2])) choice(5,5,False,np.array([.96,.01,.01,.01,.01]))
    choice(np.arange(5.),(2,2),True,np.array([.1,.2,.3,.2,.2]))""".split(),
)
def test_integers_and_choice(call):
    check_numpy(call)


@pytest.mark.parametrize("shape", [(30,), (10, 3), (4, 3, 2), (1,), (0,)])
def test_shuffle(shape):
    @njit
    def shuffle(seed, a):
        np.random.seed(seed)
        np.random.shuffle(a)

    n = int(np.prod(shape))
    for a in (np.arange(n).reshape(shape), np.arange(2 * n)[::-2].reshape(shape)):
        shuffled, expected = a.copy(), a.copy()
        shuffle(7, shuffled)
        np.random.RandomState(7).shuffle(expected)
        assert np.array_equal(shuffled, expected)


@pytest.mark.parametrize(
    "call",
    """binomial(5,0.0) binomial(0,0.5) poisson(0.0) gamma(0.0) weibull(0.0) randint(5,6) choice(1)
    negative_binomial(3,1.0) permutation(1) geometric(1.0) logseries(0.0)
    noncentral_chisquare(3,0) normal(size=0) random(0)""".split(),
)
def test_how_much_of_the_stream_is_used(call):
    f = njit(function_of(f"(np.random.{call}, np.random.random())[1]", "np.random.seed"))
    state = np.random.RandomState(8)
    eval(f"state.{call}", {"state": state})
    assert f(8) == state.random_sample()


def test_the_stream_goes_on():
    def f(state):
        return (state.normal(), state.random_sample(), state.normal(), state.randint(0, 100),
                state.normal(), state.poisson(3.0), state.random_sample())  # fmt: skip

    def g(seed):
        np.random.seed(seed)
        return (np.random.normal(), np.random.random_sample(), np.random.normal(),
                np.random.randint(0, 100), np.random.normal(), np.random.poisson(3.0),
                np.random.random_sample())  # fmt: skip

    assert njit(g)(5) == f(np.random.RandomState(5))


def test_many_words():
    """Past the end of the state's words, from an odd place too."""

    @njit
    def f(seed):
        np.random.seed(seed)
        total = float(np.random.randint(0, 100))
        for _ in range(10_000):
            total += np.random.random()
        return total

    state = np.random.RandomState(3)
    total = float(state.randint(0, 100))
    for _ in range(10_000):
        total += state.random_sample()
    assert f(3) == total


@pytest.mark.parametrize(
    "call",
    """normal(0,-1) exponential(-1.0) gamma(-1.0,1.0) beta(0.0,1.0) chisquare(0) pareto(-1.0,3)
    triangular(2,1,3) triangular(0,4,3) triangular(1,1,1) binomial(-1,0.5) binomial(5,1.5)
    binomial(5,np.nan) geometric(0.0) poisson(-1.0) zipf(1.0) randint(5,5) randint(5,2,3)
    hypergeometric(2,3,9) hypergeometric(3,4,0) choice(0) choice(3,5,False)
    choice(3,2,True,np.array([.5,.6,.1]))
    choice(2,2,True,np.array([1.])) choice(2,2,True,np.array([-1.,2.]))
    choice(3,2,False,np.array([0,0,1.])) multinomial(5,np.array([.9,.9,.1]))
    multinomial(-1,np.array([.9,.1])) dirichlet(np.array([0.,1.])) wald(0.0,1.0)
    seed(-1) randint(-1,3,2,np.uint8) randint(0,300,2,np.uint8) randint(0,3,2,np.bool_)""".split(),
)
def test_wrong_parameters(call):
    f = njit(function_of(f"np.random.{call}", "np.random.seed"))
    with pytest.raises(ValueError):
        eval(f"state.{call}", {"np": np, "state": np.random.RandomState(0)})
    with pytest.raises(ValueError):
        f(0)


ODD = np.nan, np.inf, -np.inf, 0.0, -1.0, 5e-324, 1e-300, 0.5, 1.0, 2.0, 1e10, 1e300
ODD_INTEGERS = 0, 1, -1, 5, 30, 2**31, 2**63 - 1, -(2**63)
#: Where NumPy's draws never end, neither do ours: test_interrupt.py ends one.
ENDLESS = {
    "zipf": lambda a: a >= 1e10,
    "vonmises": lambda mu, kappa: kappa >= 1e300,
    "hypergeometric": lambda good, bad, n: n >= 2**63 - 1,
}


def odd_parameters():
    for name in """exponential standard_gamma chisquare standard_t pareto power rayleigh weibull
    geometric logseries poisson zipf""".split():
        yield name, [ODD]
    for name in """uniform normal lognormal gamma beta noncentral_chisquare f laplace logistic
    gumbel vonmises wald negative_binomial""".split():
        yield name, [ODD, ODD]
    yield "noncentral_f", [ODD, ODD, ODD]
    yield "triangular", [ODD, ODD, ODD]
    yield "binomial", [ODD_INTEGERS, ODD]
    yield "hypergeometric", [ODD_INTEGERS] * 3


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "name,values", list(odd_parameters()), ids=lambda x: x if type(x) is str else ""
)
def test_odd_parameters(name, values):
    """Twice from one seed: what the first draw takes from the stream counts, too."""
    names = ", ".join("abc"[: len(values)])
    scope = {"np": np}
    exec(
        f"def f({names}):\n    np.random.seed(3)\n"
        f"    return np.random.{name}({names}), np.random.{name}({names})",
        scope,
    )
    compiled = njit(scope["f"])
    for parameters in itertools.product(*values):
        if name in ENDLESS and ENDLESS[name](*parameters):
            continue
        state = np.random.RandomState(3)
        draw = getattr(state, name)
        try:
            expected = float(draw(*parameters)), float(draw(*parameters))
        except (ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                compiled(*parameters)
        else:
            np.testing.assert_array_equal(compiled(*parameters), expected, str(parameters))


def test_range_of_uniform():
    f = njit(lambda low, high: np.random.uniform(low, high))
    for low, high in [(0.0, np.inf), (np.nan, 1.0), (np.zeros(2), np.array([1.0, np.inf]))]:
        with pytest.raises(OverflowError, match="Range exceeds valid bounds"):
            np.random.uniform(low, high)
        with pytest.raises(OverflowError, match="Range exceeds valid bounds"):
            f(low, high)


def test_state_is_apart_from_the_interpreters():
    @njit
    def draw():
        return np.random.random()

    @njit
    def seed(n):
        np.random.seed(n)

    seed(1)
    np.random.seed(1)
    first = np.random.random()
    assert draw() == first
    assert np.random.random() == np.random.RandomState(1).random_sample(2)[1]


def test_seeds_of_the_system():
    @njit
    def draw():
        np.random.seed()
        random.seed()
        return np.random.random(), random.random()

    assert draw() != draw()


def test_each_thread_has_a_state():
    @njit
    def draw(seed):
        if seed >= 0:
            np.random.seed(seed)
        return np.random.random()

    draw(1)
    elsewhere = []
    thread = threading.Thread(target=lambda: elsewhere.extend((draw(-1), draw(2))))
    thread.start()
    thread.join()
    assert elsewhere[1] == np.random.RandomState(2).random_sample()
    assert draw(-1) == np.random.RandomState(1).random_sample(2)[1]
    assert elsewhere[0] != draw(1)  # seeded by the system


# -- Python's random ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    """random() uniform(1.0,3.0) uniform(1,3.5) gauss(1.0,2.0) gauss() normalvariate(1.0,2.0)
    lognormvariate(0.0,1.0) expovariate(2.0) expovariate(-2) gammavariate(0.5,2.0)
    gammavariate(2.5,2.0) gammavariate(1.0,2.0) betavariate(2.0,3.0) paretovariate(3.0)
    weibullvariate(2.0,3.0) vonmisesvariate(0.5,2.0) vonmisesvariate(-9,0.0) triangular()
    triangular(0.0,1.0,0.3) triangular(0,6) triangular(2.0,2.0,2.0) getrandbits(0) getrandbits(1)
    getrandbits(32) getrandbits(33) getrandbits(63) randrange(10) randrange(1) randrange(5,50,3)
    randrange(50,5,-3) randrange(1<<40) randint(1,6) choice((1,2,3,4)) choice([2.5,3.5])""".split(),
)
def test_python_random(call):
    f = function_of(f"[random.{call} for i in range(30)]", "random.seed")
    for seed in (0, 1, -5, 1 << 40):
        assert_same(f, seed)


def test_python_shuffle():
    def f(seed, items):
        random.seed(seed)
        random.shuffle(items)

    assert_same(f, 4, list(range(20)))
    assert_same(f, 5, np.arange(20))


@pytest.mark.parametrize("k", [0, 1, 3, 5, 6, 10])
@pytest.mark.parametrize(
    "population", [list(range(10)), range(1000), tuple(range(11)), "abcdefghijk"]
)
def test_python_sample(population, k):
    def f(seed, population, k):
        random.seed(seed)
        return random.sample(population, k), random.random()

    assert_same(f, 1, population, k)


@pytest.mark.parametrize(
    "weights", [[1, 2, 3], (0.5, 0, 1.5), [1, 2], [0, 0, 0], [1.0, 2.0, np.inf]]
)
def test_python_choices(weights):
    def plain(seed, items):
        random.seed(seed)
        return random.choices(items, k=5), random.choices(items)

    def weighted(seed, items, weights):
        random.seed(seed)
        return random.choices(items, weights, k=4), random.choices(items, cum_weights=weights, k=3)

    assert_same(plain, 3, ["a", "b", "c"])
    assert_same(weighted, 3, [5, 6, 7], weights)


@pytest.mark.parametrize(
    "call",
    """sample([1],2) sample([1],-1) randrange(0) randrange(5,5) randrange(1,9,0)
    randrange(1,9,-1) getrandbits(-1) gammavariate(0.0,1.0)
    betavariate(-1.0,2.0) expovariate(0.0) choice([1][:0])""".split(),
)
def test_python_errors(call):
    assert_same(function_of(f"random.{call}", "random.seed"), 0)


def test_both_modules_have_their_own_state():
    def f():
        np.random.seed(1)
        random.seed(1)
        return np.random.random(), random.random(), np.random.random()

    assert_same(f)


# -- first use ---------------------------------------------------------------------------------


def test_modules_imported_after_the_first_compilation():
    """Their functions are known although the library was loaded before them."""
    import subprocess
    import sys

    program = """
import sys, numpy as np
from numjit import njit
njit(lambda x: x + 1)(1)
assert "numpy.random" not in sys.modules
import random

def f():
    random.seed(1)
    np.random.seed(1)
    return random.random(), np.random.random()

state = np.random.RandomState(1)
assert njit(f)() == (random.Random(1).random(), state.random_sample())
"""
    subprocess.run([sys.executable, "-c", program], check=True)
