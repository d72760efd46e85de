"""Methods of a `random.Random` of the program's own, ``roll = Random(3).randint``: the interpreter
executes them. The functions of the module `random` are compiled (random_module.py)."""

from numjit import types
from numjit.python_calls import PythonCall

from ..core.intrinsics import refuse

_RESULTS = {
    "int64": "getrandbits randint randrange",
    "float64": """betavariate expovariate gammavariate gauss lognormvariate normalvariate
        paretovariate random triangular uniform vonmisesvariate weibullvariate""",
    "none": "seed",
}
_RESULT_OF = {name: result for result, names in _RESULTS.items() for name in names.split()}


def stand_in(method):
    """Called by the compiler (pyext/read/plain_objects.cpp)."""
    name = method.__name__
    if name not in _RESULT_OF:
        return _refused(name)
    call = PythonCall(
        lambda arguments: (method(*arguments),),
        lambda: types.Tuple((getattr(types, _RESULT_OF[name]),)),
    )

    def ask(*arguments):
        return call(arguments)[0]

    return ask


def _refused(name):
    text = f"random.Random.{name} cannot be called in compiled code"

    def ask(*arguments, **keywords):
        return refuse(text)

    return ask
