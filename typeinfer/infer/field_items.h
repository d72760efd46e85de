// Fields of plain classes whose __init__ does not say what is in them: `self.items = []`,
// `self.best = None`; and variables that inner functions assign (frontend/boxes.cpp).
//
// What is in them is found where methods and functions put something into them, wherever that is.
// Until then items of such containers, and such fields, have a type that stands for the place, and
// values of it can be handed about only. When a function was inferred with such types, inference
// starts anew with what was put into them.
//
// Where instances of a class refer to instances of the same class, a type that holds the types of
// its fields would be a part of itself. Such classes are found when inference fails; from then on
// there is one type of their instances (types/named_instances.h), whose fields hold whatever any
// function puts there.
#pragma once

#include "typeinfer/types/types.h"

#include <map>
#include <string>
#include <utility>

namespace numjit {

/// What is known of them in one compilation. `unions`: items of a field may be of several types;
/// `long_tuples`: but tuples of several lengths are made one type where they are put there.
class FieldItems {
public:
  FieldItems(bool unions, bool long_tuples) : unions_(unions), long_tuples_(long_tuples) {}

  /// The type that stands for an item here, or what it was found to be.
  const Type *type_of(const Type *item);
  /// The type of a variable whose first value is of a type, and of what was found to be put there.
  const Type *with_first(const Type *variable, const Type *first);
  /// Something of a type is put where an item of a field is due; containers part by part. False if
  /// the type would be a part of itself.
  bool put(const Type *due, const Type *given);
  /// A container of `items` cannot hold `given`, too: where that is what was found for a field, its
  /// items may be of a type that holds both.
  void widen(const Type *items, const Type *given);
  /// The type of an empty list that nothing is put into: null until open_empty_lists(), then what
  /// such a list meets.
  const Type *empty_list(const std::string &place);
  /// False if they are open already, or there were none.
  bool open_empty_lists() { return met_empty_ && !std::exchange(opens_empty_, true); }
  /// Takes over what was put. False if that says nothing new. `settle`: containers that nothing is
  /// put into hold int64, and fields stay None.
  bool learn(bool settle);

  /// A field of an instance holds values of a type; of no type where it may have no value.
  void note(const Const *cls, size_t field, const Type *type);
  /// The type of the instances of a class that refers to itself; null for others.
  const Type *named_instance(const Const *cls);
  /// One type of all instances of a class may help where inference fails.
  void suspect(const Const *cls);
  /// Of a class, too, whose instances exist while __init__ runs: it hands `self` on.
  bool exists_in_init(const Const *cls) const;
  void let_exist_in_init(const Const *cls);
  /// Looks for classes whose instances refer to instances of the same class. False if there are no
  /// more of them.
  bool name_classes();

private:
  struct Class {
    const Const *constant;
    std::vector<const Type *> fields;             ///< if named; null: not known yet
    std::vector<std::vector<const Type *>> noted; ///< of each field, since the last learn()
    std::vector<bool> late; ///< fields that __init__ may leave without a value
    bool suspected = false, hands_self_on = false;
    enum : uint8_t { Structural, Named, ExistsInInit } stage = Structural;
    bool named() const { return stage != Structural; }
  };

  const Type *join(const Type *a, const Type *b) const;
  const Type *with_known(const Type *type);
  const Type *by_name(const Type *type) const;
  const Type *with_structures(const Type *type);
  const Class *class_of(const Const *constant) const;
  Class &entry_of(const Const *constant);
  void suspect_holders(const Type *due, const Type *type);
  bool learn_fields();

  bool unions_, long_tuples_, refers_to_itself_ = false;
  bool met_empty_ = false, opens_empty_ = false; ///< lists that nothing is put into
  std::map<const Type *, const Type *> known_;   ///< null: nothing was put there yet
  std::map<const Type *, const Type *> put_;
  std::vector<Class> classes_; ///< in the order in which they are met
  const Type *structures_ =
      nullptr;      ///< of named classes, as they are known; null: none or not asked
  int lessons_ = 0; ///< a field may grow with each
};

} // namespace numjit
