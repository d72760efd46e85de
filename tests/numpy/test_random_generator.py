"""Methods of numpy.random.Generator: NumPy's numbers, and NumPy's state afterwards."""

import numpy as np
import pytest
from language.support import check_same
from numjit import njit, typeof, types


def function_of(expression, *parameters):
    scope = {"np": np}
    exec(f"def f({', '.join(('rng',) + parameters)}):\n    return {expression}", scope)
    return scope["f"]


def check(expression, make=np.random.default_rng, **arguments):
    """Compiled code and the interpreter give the same, and go on from the same state."""
    f = function_of(expression, *arguments)
    theirs, ours = make(7), make(7)
    expected = f(theirs, *arguments.values())
    check_same(njit(f)(ours, *arguments.values()), expected)
    assert str(theirs.bit_generator.state) == str(ours.bit_generator.state)


@pytest.mark.parametrize(
    "call",
    """random() random(5) random((2,3)) random(None) random(4,np.float32) random(dtype=np.float32)
    standard_normal() standard_normal((2,3)) standard_normal(4,dtype=np.float32)
    standard_exponential() standard_exponential(5) standard_exponential(5,method="inv")
    standard_exponential(dtype=np.float32) standard_gamma(2.0) standard_gamma(0.5,3)
    standard_gamma(2.0,size=3,dtype=np.float32) standard_cauchy() standard_cauchy(3)""".split(),
)
def test_standard_distributions(call):
    check(f"rng.{call}")


@pytest.mark.parametrize(
    "call",
    """beta(1.5,2.5) chisquare(3.0) exponential() exponential(scale=2) f(2.0,3.0) gamma(2.0,3.0)
    gamma(0.5) gumbel(1.0,2.0) laplace(1.0,2.0) logistic(1,2) lognormal(0.5,1.5)
    noncentral_chisquare(3.0,2.0) noncentral_f(2.0,3.0,1.5) normal() normal(1,2) normal(scale=2.0)
    pareto(3.0) power(3.0) rayleigh(2.0) standard_t(4.0) triangular(1.0,2.0,4.0) uniform()
    uniform(1,3) vonmises(0.5,2.0) wald(1.0,2.0) weibull(2.0) poisson() poisson(4.0) poisson(100)
    geometric(0.3) logseries(0.6) negative_binomial(5,0.3) zipf(2.5) binomial(10,0.4)
    binomial(1000,0.7) hypergeometric(10,5,6)""".split(),
)
def test_distributions(call):
    check(f"(rng.{call}, rng.{call})")
    sized = call.replace("()", "(size=(2, 3))") if call.endswith("()") else call[:-1] + ",size=4)"
    check(f"rng.{sized}")


def test_parameters_that_are_arrays():
    a = np.array([3.0, 1.0, 2.0])
    check("rng.normal(a, 1.0)", a=a)
    check("rng.uniform(a, 10.0)", a=a)
    check("rng.poisson(a, size=(2, 3))", a=a)
    check("rng.exponential([1.0, 2.0])")
    with pytest.raises(ValueError, match="shape mismatch"):
        njit(function_of("rng.normal(a, 1.0, 4)", "a"))(np.random.default_rng(), a)


@pytest.mark.parametrize("dtype", "int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool_".split())
def test_integers_of_a_dtype(dtype):
    most = 1 if dtype == "bool_" else np.iinfo(dtype).max
    check(f"rng.integers(0, {most}, 7, np.{dtype}, True)")
    check(f"(rng.integers(0, 2, dtype=np.{dtype}), rng.random())")


@pytest.mark.parametrize(
    "call",
    """integers(10) integers(10,size=5) integers(3,10) integers(low=-5,high=5,size=(2,3))
    integers(0,2**40,4) integers(10,endpoint=True) integers(0,1)""".split(),
)
def test_integers(call):
    check(f"rng.{call}")


def test_order():
    a, m = np.arange(7.0), np.arange(12).reshape(3, 4)
    check("rng.permutation(6)")
    check("rng.permutation(a)", a=a)
    check("rng.permutation(m)", m=m)
    check("rng.permutation(m, axis=1)", m=m)
    check("rng.permutation([1, 2, 3])")

    @njit
    def shuffled(rng, a):
        rng.shuffle(a)
        return a

    for x in a[::2].copy(), m.copy(), a.copy()[::2]:
        expected = x.copy()
        np.random.default_rng(3).shuffle(expected)
        check_same(shuffled(np.random.default_rng(3), x), expected)


def test_out():
    @njit
    def fill(rng, out):
        rng.random(out=out)
        return rng.standard_normal(out=np.empty(2))

    out, expected = np.empty(3), np.empty(3)
    rng = np.random.default_rng(1)
    rng.random(out=expected)
    check_same(fill(np.random.default_rng(1), out), rng.standard_normal(2))
    check_same(out, expected)


@pytest.mark.parametrize(
    "call, message",
    [
        ("normal(0.0, -1.0)", "scale < 0"),
        ("beta(0.0, 1.0)", "a <= 0"),
        ("poisson(-1.0)", "lam < 0"),
        ("geometric(2.0)", "p > 1"),
        ("zipf(1.0)", "a <= 1"),
        ("logseries(1.0)", "p >= 1"),
        ("triangular(2.0, 1.0, 3.0)", "left > mode"),
        ("integers(5, 5)", "low >= high"),
        ("integers(0, 300, dtype=np.uint8)", "high is out of bounds"),
        ("normal(np.array([0.0, 1.0]), np.array([1.0, -1.0]))", "scale < 0"),
        ("random(-1)", "negative dimensions"),
    ],
)
def test_refused_parameters(call, message):
    f = function_of(f"rng.{call}")
    for each in f, njit(f):
        with pytest.raises(ValueError, match=message):
            each(np.random.default_rng())


def test_refused_range():
    with pytest.raises(OverflowError, match="high - low"):
        njit(function_of("rng.uniform(0.0, np.inf)"))(np.random.default_rng())


@pytest.mark.parametrize(
    "call",
    """choice(10) choice(10,3) choice(10,(2,3)) choice(a) choice(a,4) choice(b,3) choice(b,2,axis=1)
    choice(10,4,replace=False) choice(a,(2,2),False) choice(10,6,replace=False,shuffle=False)
    choice(20000,2000,False)[:9] choice(20000,2000,False,shuffle=False)[:9] choice(20000,8,False)
    choice(5,p=p) choice(a,7,p=p) choice(5,4,False,p) choice([1.5,2.5,4.0],2)""".split(),
)
def test_choice(call):
    a, b = np.array([1.5, 2.5, 3.5, -1.0, 0.25]), np.arange(12).reshape(4, 3)
    check(f"(rng.{call}, rng.random())", a=a, b=b, p=np.array([0.1, 0.2, 0.3, 0.35, 0.05]))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("0", "a must be a positive integer"),
        ("3, 4, False", "Cannot take a larger sample than population"),
        ("2, p=np.array([0.5, 0.6])", "Probabilities do not sum to 1"),
        ("2, p=np.array([1.5, -0.5])", "Probabilities are not non-negative"),
        ("2, p=np.array([1.0])", "a and p must have same size"),
        ("2, 2, False, np.array([1.0, 0.0])", "Fewer non-zero entries in p than size"),
    ],
)
def test_refused_choice(arguments, message):
    f = function_of(f"rng.choice({arguments})")
    for function in (f, njit(f)):
        with pytest.raises(ValueError, match=message):
            function(np.random.default_rng())


@pytest.mark.parametrize(
    "call",
    """permuted(a) permuted(b) permuted(b,axis=0) permuted(b,axis=1) permuted(b.T) permuted([1,2,3])
    multinomial(20,p) multinomial(5,p,3) multinomial(5,[0.5,0.5],(2,2)) dirichlet(p)
    dirichlet(p,(2,2)) dirichlet(p/20,3) dirichlet([1.0,2.0]) bytes(5) bytes(8)""".split(),
)
def test_samples(call):
    a, b = np.arange(6.0), np.arange(12).reshape(4, 3)
    check(f"(rng.{call}, rng.random())", a=a, b=b, p=np.array([0.2, 0.3, 0.5]))


@pytest.mark.parametrize("name", "MT19937 PCG64DXSM Philox SFC64".split())
def test_other_bit_generators(name):
    make = getattr(np.random, name)
    check(
        "(rng.random(3), rng.integers(0, 100, 5), rng.standard_normal(dtype=np.float32))",
        lambda seed: np.random.Generator(make(seed)),
    )


def test_generators_are_values():
    rng = np.random.default_rng(1)
    assert njit(function_of("rng"))(rng) is rng
    assert njit(function_of("(rng, 1)"))(rng)[0] is rng
    assert typeof(rng) is types.npy_rng

    @njit
    def through_a_list_and_a_call(rng):
        rngs = [rng, rng]
        return helper(rngs[1]) + helper(rng)

    @njit
    def helper(rng):
        return rng.random()

    expected = np.random.default_rng(1)
    assert through_a_list_and_a_call(rng) == expected.random() + expected.random()
    assert njit("float64(npy_rng)")(helper.py_func)(rng) == expected.random()


def test_isinstance():
    @njit
    def which(x):
        return isinstance(x, np.random.Generator)

    assert which(np.random.default_rng())
    assert not which(1.0)


def test_a_generator_that_only_the_call_keeps():
    assert njit(function_of("rng.random()"))(np.random.default_rng(5)) == (
        np.random.default_rng(5).random()
    )


def test_legacy_parameters_that_are_arrays():
    @njit
    def f(a):
        np.random.seed(3)
        return np.random.uniform(a, a + 1), np.random.normal(a, 1.0), np.random.poisson(a)

    a = np.array([3.0, 1.0, 2.0])
    state = np.random.RandomState(3)
    check_same(f(a), (state.uniform(a, a + 1), state.normal(a, 1.0), state.poisson(a)))


def test_legacy_choice_of_sequences():
    @njit
    def f():
        np.random.seed(3)
        return np.random.choice([1, 2, 3], 2), np.random.permutation((1, 2, 3))

    state = np.random.RandomState(3)
    check_same(f(), (state.choice([1, 2, 3], 2), state.permutation((1, 2, 3))))


MEAN, COV = np.array([1.0, -2.0]), np.array([[2.0, 0.5], [0.5, 1.0]])


@pytest.mark.parametrize(
    "arguments",
    ["", ", 3", ", (2, 3)", ", size=(2,), method='cholesky'", ", 4, method='eigh'"]
    + [", 2, check_valid='raise'"],
)
def test_normal_distributions_of_several_dimensions(arguments):
    f = function_of(f"rng.multivariate_normal(mean, cov{arguments})", "mean", "cov")
    theirs, ours = np.random.default_rng(7), np.random.default_rng(7)
    check_same(njit(f)(ours, MEAN, COV), f(theirs, MEAN, COV), 1e-12)
    assert str(theirs.bit_generator.state) == str(ours.bit_generator.state)


@pytest.mark.parametrize(
    "mean, cov", [(MEAN[:1], COV), (COV, COV), (MEAN, MEAN), (MEAN, np.ones((2, 3)))]
)
def test_wrong_parameters_of_several_dimensions(mean, cov):
    f = function_of("rng.multivariate_normal(mean, cov)", "mean", "cov")
    with pytest.raises(ValueError):
        f(np.random.default_rng(), mean, cov)
    with pytest.raises(ValueError):
        njit(f)(np.random.default_rng(), mean, cov)


def test_generators_made_in_compiled_code():
    """The streams are NumPy's, and so is what comes out."""

    def streams(seed):
        total = 0.0
        for i in range(5):
            rng = np.random.default_rng(seed + i)
            total += rng.random() + rng.integers(0, 10)
        return total, np.random.default_rng([seed, 1]).normal(size=3)

    check_same(njit(streams)(7), streams(7))

    @njit
    def made(seed):
        return np.random.default_rng(seed)

    rng = made(3)
    assert type(rng) is np.random.Generator
    assert rng.random() == np.random.default_rng(3).random()
    assert njit(lambda: np.random.default_rng().random())() < 1
    with pytest.raises(ValueError, match="non-negative"):
        made(-1)


def test_a_generator_is_given_back():
    @njit
    def same(rng):
        return np.random.default_rng(rng)

    rng = np.random.default_rng(3)
    assert same(rng) is rng
