# What type checkers see of numjit.types. The block is made by .ci/make_stubs.py.
import typing

from numjit.types.signature import Signature as Signature

# [all types]
from numjit.types.abstract import ArrayCompatible as ArrayCompatible
from numjit.types.abstract import Callable as Callable
from numjit.types.abstract import ConstSized as ConstSized
from numjit.types.abstract import Container as Container
from numjit.types.abstract import DTypeSpec as DTypeSpec
from numjit.types.abstract import Dummy as Dummy
from numjit.types.abstract import Hashable as Hashable
from numjit.types.abstract import IterableType as IterableType
from numjit.types.abstract import IteratorType as IteratorType
from numjit.types.abstract import Literal as Literal
from numjit.types.abstract import MutableSequence as MutableSequence
from numjit.types.abstract import Number as Number
from numjit.types.abstract import Opaque as Opaque
from numjit.types.abstract import Phantom as Phantom
from numjit.types.abstract import Sequence as Sequence
from numjit.types.abstract import SimpleIterableType as SimpleIterableType
from numjit.types.abstract import SimpleIteratorType as SimpleIteratorType
from numjit.types.abstract import Sized as Sized
from numjit.types.abstract import Type as Type
from numjit.types.abstract import Undefined as Undefined
from numjit.types.arrays import Array as Array
from numjit.types.arrays import ArrayIterator as ArrayIterator
from numjit.types.arrays import Buffer as Buffer
from numjit.types.arrays import ByteArray as ByteArray
from numjit.types.arrays import Bytes as Bytes
from numjit.types.arrays import DType as DType
from numjit.types.arrays import MemoryView as MemoryView
from numjit.types.arrays import NumberClass as NumberClass
from numjit.types.arrays import PyArray as PyArray
from numjit.types.containers import BaseAnonymousTuple as BaseAnonymousTuple
from numjit.types.containers import BaseNamedTuple as BaseNamedTuple
from numjit.types.containers import BaseTuple as BaseTuple
from numjit.types.containers import DictItemsIterableType as DictItemsIterableType
from numjit.types.containers import DictIteratorType as DictIteratorType
from numjit.types.containers import DictKeysIterableType as DictKeysIterableType
from numjit.types.containers import DictType as DictType
from numjit.types.containers import DictValuesIterableType as DictValuesIterableType
from numjit.types.containers import FrozenSet as FrozenSet
from numjit.types.containers import InitialValue as InitialValue
from numjit.types.containers import List as List
from numjit.types.containers import ListIter as ListIter
from numjit.types.containers import ListType as ListType
from numjit.types.containers import ListTypeIterableType as ListTypeIterableType
from numjit.types.containers import ListTypeIteratorType as ListTypeIteratorType
from numjit.types.containers import LiteralList as LiteralList
from numjit.types.containers import LiteralStrKeyDict as LiteralStrKeyDict
from numjit.types.containers import NamedTuple as NamedTuple
from numjit.types.containers import NamedUniTuple as NamedUniTuple
from numjit.types.containers import Optional as Optional
from numjit.types.containers import Set as Set
from numjit.types.containers import SetIter as SetIter
from numjit.types.containers import SetType as SetType
from numjit.types.containers import SetTypeIteratorType as SetTypeIteratorType
from numjit.types.containers import StarArgTuple as StarArgTuple
from numjit.types.containers import StarArgUniTuple as StarArgUniTuple
from numjit.types.containers import Tuple as Tuple
from numjit.types.containers import UniTuple as UniTuple
from numjit.types.containers import UniTupleIter as UniTupleIter
from numjit.types.containers import is_homogeneous as is_homogeneous
from numjit.types.containers import unliteral as unliteral
from numjit.types.foreign import ExternalFunction as ExternalFunction
from numjit.types.foreign import WrapperAddressProtocol as WrapperAddressProtocol
from numjit.types.items import ClassInstanceType as ClassInstanceType
from numjit.types.items import ClassType as ClassType
from numjit.types.items import DataclassType as DataclassType
from numjit.types.items import EnumClass as EnumClass
from numjit.types.items import EnumMember as EnumMember
from numjit.types.items import IntEnumClass as IntEnumClass
from numjit.types.items import IntEnumMember as IntEnumMember
from numjit.types.items import LinkedClassType as LinkedClassType
from numjit.types.items import NPDatetime as NPDatetime
from numjit.types.items import NPTimedelta as NPTimedelta
from numjit.types.items import NestedArray as NestedArray
from numjit.types.items import Record as Record
from numjit.types.items import StructRef as StructRef
from numjit.types.misc import BoundFunction as BoundFunction
from numjit.types.misc import CPointer as CPointer
from numjit.types.misc import CharSeq as CharSeq
from numjit.types.misc import DeferredType as DeferredType
from numjit.types.misc import Dispatcher as Dispatcher
from numjit.types.misc import EllipsisType as EllipsisType
from numjit.types.misc import EnumerateType as EnumerateType
from numjit.types.misc import EphemeralPointer as EphemeralPointer
from numjit.types.misc import ExceptionClass as ExceptionClass
from numjit.types.misc import FractionType as FractionType
from numjit.types.misc import Function as Function
from numjit.types.misc import FunctionType as FunctionType
from numjit.types.misc import Generator as Generator
from numjit.types.misc import MemInfoPointer as MemInfoPointer
from numjit.types.misc import Module as Module
from numjit.types.misc import NumPyRandomGeneratorType as NumPyRandomGeneratorType
from numjit.types.misc import Omitted as Omitted
from numjit.types.misc import PolynomialType as PolynomialType
from numjit.types.misc import PyObject as PyObject
from numjit.types.misc import RangeIteratorType as RangeIteratorType
from numjit.types.misc import RangeType as RangeType
from numjit.types.misc import RawPointer as RawPointer
from numjit.types.misc import Row as Row
from numjit.types.misc import SliceLiteral as SliceLiteral
from numjit.types.misc import SliceType as SliceType
from numjit.types.misc import TimedeltaType as TimedeltaType
from numjit.types.misc import TypeRef as TypeRef
from numjit.types.misc import UnicodeCharSeq as UnicodeCharSeq
from numjit.types.misc import VarArg as VarArg
from numjit.types.misc import ZipType as ZipType
from numjit.types.misc import of_class as of_class
from numjit.types.scalars import Boolean as Boolean
from numjit.types.scalars import BooleanLiteral as BooleanLiteral
from numjit.types.scalars import Complex as Complex
from numjit.types.scalars import Float as Float
from numjit.types.scalars import Integer as Integer
from numjit.types.scalars import IntegerLiteral as IntegerLiteral
from numjit.types.scalars import NoneType as NoneType
from numjit.types.scalars import StringLiteral as StringLiteral
from numjit.types.scalars import UnicodeIteratorType as UnicodeIteratorType
from numjit.types.scalars import UnicodeType as UnicodeType
from numjit.types.scalars import literal as literal
from numjit.types.scalars import maybe_literal as maybe_literal

Any: Phantom
b1: Boolean
bf16: Float
bfloat16: Float
bool: Boolean
bool_: Boolean
boolean: Boolean
byte: Integer
c16: Complex
c8: Complex
c_bool: Boolean
c_float32: Float
c_float64: Float
c_int16: Integer
c_int32: Integer
c_int64: Integer
c_int8: Integer
c_intp: Integer
c_uint16: Integer
c_uint32: Integer
c_uint64: Integer
c_uint8: Integer
c_uintp: Integer
char: Integer
code_type: Opaque
complex128: Complex
complex64: Complex
deferred_type = DeferredType
double: Float
ellipsis: EllipsisType
f2: Float
f4: Float
f8: Float
ffi: Opaque
ffi_forced_object: Opaque
float16: Float
float32: Float
float64: Float
i1: Integer
i2: Integer
i4: Integer
i8: Integer
int16: Integer
int32: Integer
int64: Integer
int8: Integer
int_: Integer
intc: Integer
intp: Integer
long_: Integer
longlong: Integer
none: NoneType
np_bool_: Boolean
np_char: Integer
np_complex128: Complex
np_complex64: Complex
np_double: Float
np_float16: Float
np_float32: Float
np_float64: Float
np_int16: Integer
np_int32: Integer
np_int64: Integer
np_int8: Integer
np_int_: Integer
np_intc: Integer
np_intp: Integer
np_long: Integer
np_longlong: Integer
np_short: Integer
np_uchar: Integer
np_uint: Integer
np_uint16: Integer
np_uint32: Integer
np_uint64: Integer
np_uint8: Integer
np_uintc: Integer
np_uintp: Integer
np_ulong: Integer
np_ulonglong: Integer
np_ushort: Integer
npy_rng: NumPyRandomGeneratorType
optional = Optional
py_bool: Boolean
py_complex: Complex
py_float: Float
py_int: Integer
pyfunc_type: Opaque
pyobject: PyObject
range_iter32_type: RangeIteratorType
range_iter64_type: RangeIteratorType
range_state32_type: RangeType
range_state64_type: RangeType
short: Integer
size_t: Integer
slice2_type: SliceType
slice3_type: SliceType
ssize_t: Integer
string: UnicodeType
u1: Integer
u2: Integer
u4: Integer
u8: Integer
uchar: Integer
uint: Integer
uint16: Integer
uint32: Integer
uint64: Integer
uint8: Integer
uintc: Integer
uintp: Integer
ulong: Integer
ulonglong: Integer
undefined: Undefined
unicode_type: UnicodeType
unknown: Dummy
unsigned_range_iter64_type: RangeIteratorType
unsigned_range_state64_type: RangeType
ushort: Integer
void: NoneType
voidptr: RawPointer
# [end]

def typeof(value: object, purpose: object = None) -> Type: ...
def from_dtype(dtype: typing.Any) -> Type: ...
