// Python objects to argument slots and back. A value takes one 8-byte slot for each leaf of its
// type (layout_of), in order. All of this needs the GIL.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace numjit {

/// Whether values of the type can be handed to Python.
bool can_box(const Type *type);

/// The Python object of a value, whose counts it takes over; `slots` moves behind the value. Null
/// with an exception set on failure.
PyObject *box(const Type *type, const uint64_t *&slots);

/// Unboxes the arguments of one call, and holds what that needs for as long as the call lasts.
class Unboxer {
public:
  Unboxer() = default;
  ~Unboxer();
  Unboxer(const Unboxer &) = delete;
  Unboxer &operator=(const Unboxer &) = delete;

  /// Writes the leaves of `object` as a `type`, converting where Python would; `slots` moves behind
  /// them. False with an exception set if the object is no such value.
  bool unbox(PyObject *object, const Type *type, uint64_t *&slots);

  /// After the call: changed lists show in Python. False with an exception set.
  bool write_back();

private:
  struct ListArgument {
    PyObject *list; // borrowed from the caller
    void *block;
    const Type *item;
  };

  struct InstanceArgument {
    PyObject *object; // borrowed from the caller
    void *block;
    const Type *type;
    std::vector<char> before;
  };

  bool unbox_struct(PyObject *object, const Type *type, uint64_t *&slots);
  bool unbox_instance(PyObject *object, const Type *type, uint64_t *&slots);
  bool unbox_items(PyObject *tuple, const std::vector<const Type *> &types, uint64_t *&slots);
  bool unbox_list(PyObject *list, const Type *type, uint64_t *&slots);

  std::vector<ListArgument> lists_;
  std::vector<InstanceArgument> instances_;
};

// --- by kind of value
// ----------------------------------------------------------------------------------

inline uint64_t slot_of(double value) { return std::bit_cast<uint64_t>(value); }
inline uint64_t slot_of(float value) { return std::bit_cast<uint32_t>(value); }
inline double double_of(uint64_t slot) { return std::bit_cast<double>(slot); }
inline float float_of(uint64_t slot) { return std::bit_cast<float>(static_cast<uint32_t>(slot)); }

PyObject *box_scalar(ScalarId scalar, const uint64_t *slots);
bool unbox_scalar(PyObject *object, const Type *type, uint64_t *&slots);

PyObject *box_array(const Type *type, const uint64_t *&slots);
bool unbox_array(PyObject *object, const Type *type, uint64_t *&slots);

PyObject *box_list(const Type *type, const uint64_t *&slots);
/// A new runtime list with the items of a Python list; null with an exception set.
void *list_from_python(PyObject *list, const Type *item);
/// Makes the Python list hold the items of the runtime list.
bool write_list(void *block, const Type *item, PyObject *list);

/// Whether an object is of a class whose values a list of `type` may hold (no conversions there).
bool is_of_class(PyObject *object, const Type *type);

/// Between slots and memory, where the value has the layout of layout_of.
void store_leaves(const TypeLayout &layout, const uint64_t *slots, char *memory);
void load_leaves(const TypeLayout &layout, const char *memory, uint64_t *slots);

/// Makes the types that this folder adds to Python; false with an exception set.
bool init_array_memory();

} // namespace numjit
