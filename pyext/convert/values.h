// Python objects to argument slots and back. A value takes one 8-byte slot for each leaf of its
// type (layout_of), in order. All of this needs the GIL.
#pragma once

#include "pyext/python.h"
#include "runtime/runtime.h"
#include "typeinfer/types/types.h"

#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

namespace numjit {

namespace codegen {
class MachineCode;
}

class Unboxer;
class PythonView;
struct IntakeClasses;

/// Of kinds whose values are blocks of memory that stand for a Python object: functions that fill a
/// new block (null with an exception set), write changes of the block to Python, and read those of
/// Python (false with an exception set). `before` is the former memory of a dataclass.
struct BlockConversion {
  void *(*from_python)(PyObject *, const Type *, Unboxer &);
  bool (*write)(void *block, const Type *, const std::vector<char> &before, PyObject *);
  bool (*update)(void *block, const Type *, PyObject *, const PythonView &);
};

/// How values of a kind of type are converted from Python and back: a row of kinds.cpp, named in
/// the column `conversion` of typeinfer/types/kinds.def.
struct Conversion {
  /// Null: Python has no such value.
  PyObject *(*box)(const Type *, const uint64_t *&slots) = nullptr;
  /// Null: values of the type have no slots.
  bool (*unbox)(Unboxer &, PyObject *, const Type *, uint64_t *&slots) = nullptr;
  /// Whether an object keeps its value as an item of a container. Null: there are no conversions.
  bool (*accepts)(PyObject *, const Type *) = nullptr;
  /// Whether an object is of a class whose values the type has. Null: unboxing finds out.
  bool (*is_of_class)(PyObject *, const Type *) = nullptr;
  /// Whether Python and compiled code have copies of their own of values, or of parts of them.
  bool (*holds_copies)(const Type *) = nullptr;
  const BlockConversion *block = nullptr;
  bool of_params = false; ///< goes to Python if its parameters do
  /// Whether what the objects of a type were before they were unboxed can be seen in slots.
  bool comparable_slots = false;
  /// Enters the classes whose objects are values of the kind (intake.h). Null: there are none.
  void (*enter)(IntakeClasses &) = nullptr;
};
extern const Conversion *const conversions[kKindCount]; ///< by kind
inline const Conversion &conversion_of(const Type *type) {
  return *conversions[static_cast<size_t>(type->kind)];
}
/// Whether an object is of a class whose values a type has.
inline bool is_of_class(PyObject *object, const Type *type) {
  const auto test = conversion_of(type).is_of_class;
  return !test || test(object, type);
}
bool holds_copies(const Type *type);

/// Whether values of the type can be converted to Python objects.
bool can_box(const Type *type);

/// The Python object of a value, whose counts it takes over; `slots` moves behind the value. Null
/// with an exception set on failure.
PyObject *box(const Type *type, const uint64_t *&slots);

/// Boxing takes counts over: for values that stay.
void retain_owners(const Type *type, const uint64_t *slots);

/// What an Unboxer takes for a value of a type.
enum class Accept : uint8_t {
  Convertible, ///< what Python's own conversions make one of: explicit signatures mean that
  Unifying,    ///< whose type unifies with it to it: the items of a container
};

/// Unboxes the arguments of one call, and holds what that needs for as long as the call lasts.
class Unboxer {
public:
  /// With a `view`, unboxes what a Python function returns: objects that it shows stand for their
  /// blocks, others are copied. Without one, lists that compiled code changes are to change in
  /// Python.
  explicit Unboxer(const PythonView *view = nullptr, Accept accept = Accept::Convertible)
      : view_(view), accept_(accept) {}
  ~Unboxer();
  Unboxer(const Unboxer &) = delete;
  Unboxer &operator=(const Unboxer &) = delete;

  /// Writes the leaves of `object` as a `type`, converting where Python would; `slots` moves behind
  /// them. False with an exception set if the object is no such value.
  bool unbox(PyObject *object, const Type *type, uint64_t *&slots);
  /// The same for a part of what is being copied, whose counts its memory holds. What the part
  /// itself copies gets its changes back, too.
  bool unbox_part(PyObject *object, const Type *type, char *memory, Accept accept);
  const PythonView *view() const { return view_; }

  // --- for the conversions of single kinds ---
  bool unbox_struct(PyObject *object, const Type *type, uint64_t *&slots);
  bool unbox_collection(PyObject *object, const Type *type, uint64_t *&slots);
  bool unbox_instance(PyObject *object, const Type *type, uint64_t *&slots);
  bool unbox_items(PyObject *tuple, const std::vector<const Type *> &types, uint64_t *&slots);
  bool unbox_copy(PyObject *object, const Type *type, uint64_t *&slots);
  /// While the call lasts, memory that compiled code works on cannot be moved: Python raises
  /// BufferError where a bytearray or array.array would get another length.
  bool hold_memory(PyObject *object);

  /// Changed lists, sets, dicts and dataclasses show in Python: after the call, and before compiled
  /// code calls Python. False with an exception set.
  bool write_back();
  /// write_back for the arguments of the compiled function that runs in this thread.
  static bool write_back_innermost();
  /// What `block` holds now is what its dataclass holds in Python.
  static void settle_innermost(const nj_block *block);

private:
  /// A Python list, set, dict or dataclass that was copied.
  struct Copied {
    Ref object;
    nj_block *block;
    const Type *type;
    std::vector<char> before; ///< of a dataclass: its fields as they were
    Ref around;               ///< what the list or dict was made of, if that was another object
  };

  bool is_accepted(PyObject *object, const Type *type) const;
  nj_block *known_block(PyObject *object, const Type *type) const;
  void add_copy(PyObject *object, nj_block *block, const Type *type);
  /// From now on compiled code may change a copy of what Python holds.
  void join_thread();

  std::vector<Copied> copies_; ///< parts in front of what they are parts of
  /// Numbers of copies by object, once there are many.
  std::unique_ptr<std::unordered_multimap<PyObject *, size_t>> known_;
  std::vector<Ref> kept_; ///< objects made for the call
  const PythonView *view_;
  Accept accept_;
  Unboxer *outer_ = nullptr; ///< of the compiled function that called, over Python, this one
  bool joined_ = false;
};

// --- by kind of value ---

inline uint64_t slot_of(double value) { return std::bit_cast<uint64_t>(value); }
inline uint64_t slot_of(float value) { return std::bit_cast<uint32_t>(value); }
inline double double_of(uint64_t slot) { return std::bit_cast<double>(slot); }
inline float float_of(uint64_t slot) { return std::bit_cast<float>(static_cast<uint32_t>(slot)); }

PyObject *box_scalar(ScalarId scalar, const uint64_t *slots);
/// Converts as Python would. OverflowError where the type does not hold the value: nothing wraps
/// around on its way into compiled code.
bool unbox_scalar(PyObject *object, const Type *type, uint64_t *&slots);
/// Sets the exception that an object is no value of a type; returns false.
bool wrong_class(PyObject *object, const Type *type);
/// Whether an object is a number whose type, or in case of an int whose value, is one of `type`, or
/// becomes one where the two meet (unify).
bool belongs_to(PyObject *object, const Type *type);

PyObject *box_array(const Type *type, const uint64_t *&slots);
bool unbox_array(PyObject *object, const Type *type, uint64_t *&slots);

/// str (also NumPy's) and bytes or bytearray, passed without a copy.
bool is_string(PyObject *object);
bool is_bytes(PyObject *object);
void put_string(PyObject *object, uint64_t *&slots);
void put_bytes(PyObject *object, uint64_t *&slots);
PyObject *box_string(const Type *type, const uint64_t *&slots);
PyObject *box_bytes(const Type *type, const uint64_t *&slots);
/// A memoryview or array.array as the array that it shows; no type if it is no such one.
bool shows_memory(PyObject *object);
const Type *type_of_memory(PyObject *object);
bool unbox_memory(PyObject *object, const Type *type, uint64_t *&slots);

/// A container of numjit.typed around a block, whose count it takes over (typed_containers.cpp).
PyObject *box_typed(const Type *type, nj_block *block);
PyObject *box_list(const Type *type, const uint64_t *&slots);
/// A new Python list of the items, in bulk. Where `old` has the same value at the same place, its
/// object stays: an np.float64 or an int in a list of floats remains what it is.
PyObject *items_to_python(const nj_list &list, const Type *item, PyObject *old = nullptr);
/// A new runtime list with the items of a Python list; null with an exception set.
void *list_from_python(PyObject *list, const Type *item, Unboxer &unboxer);
/// Makes the Python list hold the items of the runtime list, if that was changed.
bool write_list(void *block, const Type *item, PyObject *list);
/// Makes the runtime list hold the items of the Python list; false with an exception set.
bool update_list(void *block, const Type *item, PyObject *list, const PythonView &view);

PyObject *box_generator(const Type *type, const uint64_t *&slots);
bool unbox_generator(PyObject *object, const Type *type, uint64_t *&slots);
/// The type of a generator that compiled code made; nullptr for other objects.
const Type *type_of_generator(PyObject *object);
/// The machine code whose results are being boxed in this thread: generators keep it alive.
extern thread_local const std::shared_ptr<codegen::MachineCode> *boxed_code;

/// Lists that a generator gave to Python and still has: these are the same ones, as the interpreter
/// has it, so that Python sees what the generator changes later. Each step looks at all of them:
/// the last ones are enough for lists that are yielded again.
class SharedLists {
public:
  static constexpr size_t kMost = 32;
  SharedLists() = default;
  ~SharedLists() { clear(); }
  SharedLists(const SharedLists &) = delete;
  SharedLists &operator=(const SharedLists &) = delete;
  /// Takes over a count of a block that `list` was made of.
  void add(nj_block *block, const Type *item, PyObject *list);
  /// Writes changes to Python; forgets lists that one side has no more. False with an exception
  /// set.
  bool write();
  bool is_empty() const { return lists_.empty(); }
  void clear();

private:
  struct Shared {
    nj_block *block;
    const Type *item;
    PyObject *list;
  };
  std::vector<Shared> lists_;
  static void forget(const Shared &each);
};
/// Of the generator whose item is being boxed in this thread; null otherwise.
extern thread_local SharedLists *shared_lists;
PyObject *box_set(const Type *type, const uint64_t *&slots);
PyObject *box_frozen_set(const Type *type, const uint64_t *&slots);
/// A new runtime table with the items of a Python set; null with an exception set.
void *set_from_python(PyObject *set, const Type *type);
/// Makes the Python set hold the items of the runtime's, if that was changed.
bool write_set(void *block, const Type *type, PyObject *set);
/// Makes the runtime's set hold the items of the Python set; false with an exception set.
bool update_set(void *block, const Type *type, PyObject *set);

PyObject *box_dict(const Type *type, const uint64_t *&slots);
/// A new runtime table with the items of a Python dict; null with an exception set.
void *dict_from_python(PyObject *dict, const Type *type, Unboxer &unboxer);
/// Makes the Python dict hold the items of the runtime's, if that was changed, in their order.
bool write_dict(void *block, const Type *type, PyObject *dict);
/// A new Python dict with the items of the runtime's; null with an exception set.
PyObject *copy_of_dict(void *block, const Type *type);
/// Makes the runtime's dict hold the items of the Python dict; false with an exception set.
bool update_dict(void *block, const Type *type, PyObject *dict, const PythonView &view);
/// Whether a Python object still has the value that is in memory, so that it can be kept.
bool still_is(PyObject *object, const Type *type, const char *memory);

/// Slots of one value; those of enormous tuples on the heap.
class ValueSlots {
public:
  explicit ValueSlots(size_t count) {
    if (count > std::size(inline_))
      heap_.resize(count);
  }
  uint64_t *data() { return heap_.empty() ? inline_ : heap_.data(); }

private:
  uint64_t inline_[16];
  std::vector<uint64_t> heap_;
};

/// A slot as the low bytes of a leaf in memory.
inline uint64_t in_memory(Leaf leaf, uint64_t slot) {
  if (leaf == Leaf::F16)
    return std::bit_cast<uint16_t>(static_cast<_Float16>(float_of(slot)));
  return leaf == Leaf::BF16 ? slot >> 16 : slot; // bfloat16: the upper half of the float
}
/// Between slots and memory, where the value has the layout of layout_of.
void store_leaves(const TypeLayout &layout, const uint64_t *slots, char *memory);
void load_leaves(const TypeLayout &layout, const char *memory, uint64_t *slots);
/// A Python object as an item of a container, which holds its counts; false with an exception set.
bool unbox_to(PyObject *object, const Type *type, char *memory, Accept accept = Accept::Convertible,
              const PythonView *view = nullptr);
/// Whether an object is an item of a list of `type` as it is; sets no exception.
bool is_item_of(PyObject *object, const Type *type);
/// After unbox_to has failed on an item: sets the exception that the object is none, unless another
/// one is set. Returns false.
bool is_heterogeneous(const char *container, PyObject *item, const Type *type);
/// The Python object of an item, which stays where it is.
PyObject *box_from(const Type *type, const char *memory);
/// Puts an item, with its counts, where there is one already.
void replace_item(const Type *type, char *memory, const char *made);

/// Makes the types that this folder adds to Python; false with an exception set.
bool init_array_memory();
bool init_generators(PyObject *module);

} // namespace numjit
