// Tuples that get longer in a loop or a recursion: `t = t + (x,)`. Where types do not meet
// otherwise, a function is compiled so that sums of tuples have their length at run time
// (CompileOptions::long_tuples, library/python/tuples.py).
#include "typeinfer/infer/engine.h"
#include "typeinfer/infer/unify.h"
#include "typeinfer/types/struct_classes.h"

namespace numjit {

/// Adds the type of a tuple's items to `item`. False if it is no such tuple, or they do not unify.
static bool join_items(const Type *tuple, const Type *&item) {
  if (is_run_time_tuple(tuple)) {
    const Type *own = tuple->params[0]->params[0];
    item = item ? unify(item, own) : own;
    return item;
  }
  if (tuple->kind != Kind::Tuple)
    return false;
  for (const Type *param : tuple->params) {
    const Type *own = item_type_of(param);
    item = item ? unify(item, own) : own;
    if (!item)
      return false;
  }
  return true;
}

const Type *as_long_tuple(Emitter &e, const Type *a, const Type *b) {
  const Type *item = nullptr;
  if (!join_items(a, item) || !join_items(b, item) || !item)
    return nullptr;
  DryScope dry(e);
  return e.library("numjit.tuple_of", {{types::list(item), nullptr, nullptr, e.position}}).type;
}

const Type *meet(Emitter &e, const Type *a, const Type *b) {
  if (const Type *type = unify(a, b))
    return type;
  if (e.options().long_tuples)
    if (const Type *type = as_long_tuple(e, a, b))
      return type;
  return e.options().unions ? unify_or_unite(a, b) : nullptr;
}

} // namespace numjit
