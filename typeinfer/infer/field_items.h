// Fields of plain classes whose __init__ does not say what is in them: `self.items = []`,
// `self.best = None`; and variables that inner functions assign (frontend/boxes.cpp).
//
// What is in them is found where methods and functions put something into them, wherever that is.
// Until then items of such containers, and such fields, have a type that stands for the place, and
// values of it can be handed about only. When a function was inferred with such types, inference
// starts anew with what was put into them.
#pragma once

#include "typeinfer/types/types.h"

#include <map>

namespace numjit {

/// What is known of them in one compilation. `unions`: items of a field may be of several types.
class FieldItems {
public:
  explicit FieldItems(bool unions) : unions_(unions) {}

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
  /// Takes over what was put. False if that says nothing new. `settle`: containers that nothing is
  /// put into hold int64, and fields stay None.
  bool learn(bool settle);

private:
  const Type *join(const Type *a, const Type *b) const;
  const Type *with_known(const Type *type);

  bool unions_, refers_to_itself_ = false;
  std::map<const Type *, const Type *> known_; ///< null: nothing was put there yet
  std::map<const Type *, const Type *> put_;
};

} // namespace numjit
