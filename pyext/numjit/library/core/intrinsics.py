"""Names of the compiler's own operations, for use in library functions only.

Each is a rule in ``typeinfer/rules/*.cpp`` (``array_expressions.cpp``, ``arrays.cpp``,
``lists.cpp``), where its comment describes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:

    def __getattr__(name: str) -> Intrinsic: ...


class Intrinsic:
    """A compiler operation; it has no meaning outside of compiled code."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __call__(self, *args):
        raise TypeError(f"{self.name} can only be used in compiled code")

    def __repr__(self):
        return f"<intrinsic {self.name}>"


_NAMES = """
    same_shapes contiguous_alike get_flat set_flat set_item broadcast_shape first_shape
    check_broadcast broadcast may_overlap shares_memory copy_items as_readonly is_constant refuse
    is_lazy is_scalar transposed is_fortran cast promote nesting
    stored as_strong clip_bound
    axes_mask reduced_shape identity add_any_order replace_nan
    strided contiguous layout_is units_of with_units with_reduced_units array_of_flat reinterpret
    same_memory
    bytes_memory memory_bytes assign fill evaluate store
    merged blank_instance gives_arrays
    list_new list_get list_set list_init list_take list_set_length list_capacity list_reserve
    same_list same_items mixed_items int64_part item_like as_typed is_typed literal_unroll
    is_text new_string new_bytes new_bytearray string_list part latin1 code_point set_byte
    set_code_point
    table_get table_put slot_get slot_put hash_get hash_init key_get key_take key_init
    value_get value_take value_init value_set as_key as_value table_copy viewed
    as_frozen as_changeable
    float_bits
    call_runtime distribution writable
    chunk_count partial is_assigned as_partial is_parallel prange flat_part
    frexp_mantissa frexp_exponent modf_fraction modf_integer
    call_address blas blas_value lapack routine_integer copy_matrix c_address call_entry
    pointer_at stack_cell stack_cells carray call_ir
    select same angle complex mul_overflows
    device on_device on_simulator item_pointer call_symbol leading_zeros trailing_zeros bit_reverse
    time_value time_unit time_kind make_datetime make_timedelta fields_as_tuple member new_struct
    repr_of_fields copied_instance
    ufunc_loop gufunc_loop map_elements result_type relative_item throw_into
    captured_values is_exactly class_text
"""

globals().update({name: Intrinsic(f"numjit.{name}") for name in _NAMES.split()})
__all__ = _NAMES.split()
