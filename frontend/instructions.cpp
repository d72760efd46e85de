// What single instructions do: variables, attributes, items, operators, displays, f-strings.
#include "frontend/decode.h"
#include "frontend/stack_machine.h"

#include <algorithm>

namespace numjit::ssa {

namespace {
const std::string nonlocal_store =
    "an inner function cannot assign a variable of the function around it (nonlocal)";
} // namespace

void StackMachine::execute(const Instruction &instruction) {
  switch (instruction.op) {
  case Opcode::Nop: return;
  case Opcode::PopTop:
    if (stack_.empty())
      return damaged();
    if (stack_.back()) // null: what another block left there
      drop(*stack_.back());
    stack_.pop_back();
    return;
  case Opcode::PushNull: return push(&draft_.null);
  case Opcode::Copy: {
    Value *value = slot(instruction.arg);
    return push(value);
  }
  case Opcode::Swap: {
    slot(1); // both are read before either changes
    Value *&other = slot(instruction.arg);
    if (!failed_)
      std::swap(stack_.back(), other);
    return;
  }
  case Opcode::LoadConst: return push(constant(instruction.constant));
  case Opcode::LoadVariable:
  case Opcode::LoadAndClear: return load_variable(instruction);
  case Opcode::StoreVariable:
  case Opcode::DeleteVariable: return store_variable(instruction);
  case Opcode::LoadGlobal: return global(*instruction.name, instruction.flag);
  case Opcode::LoadBuiltin: return global(*instruction.name, false);
  case Opcode::LoadAttr:
  case Opcode::LoadSuper:
  case Opcode::StoreAttr:
  case Opcode::LoadItem:
  case Opcode::StoreItem:
  case Opcode::DeleteItem:
  case Opcode::LoadSlice:
  case Opcode::StoreSlice: return items(instruction);
  case Opcode::Unary:
  case Opcode::Binary:
  case Opcode::Compare: return operation(instruction);
  case Opcode::ListToTuple: return push(emit(Op::ListToTuple, {pop()}));
  case Opcode::BuildTuple:
  case Opcode::BuildList:
  case Opcode::BuildSet:
  case Opcode::BuildMap:
  case Opcode::BuildConstKeyMap:
  case Opcode::BuildString:
  case Opcode::BuildSlice: return build(instruction);
  case Opcode::ListAppend:
  case Opcode::SetAdd:
  case Opcode::MapAdd:
  case Opcode::ListExtend:
  case Opcode::SetUpdate:
  case Opcode::MapUpdate: return extend(instruction);
  case Opcode::MergeKeywords: {
    Value *mapping = pop();
    Value *&map = slot(instruction.arg);
    if (!failed_)
      map = emit(Op::MergeKeywords, {map, mapping});
    return;
  }
  case Opcode::Format:
  case Opcode::Convert: return format(instruction);
  case Opcode::UnpackSequence:
  case Opcode::UnpackStarred: return unpack(instruction);
  case Opcode::Call:
  case Opcode::CallKeywords:
  case Opcode::CallStar: return call(instruction);
  case Opcode::MakeFunction:
  case Opcode::SetFunctionAttribute: return make_function(instruction);
  case Opcode::EnterHandler:
  case Opcode::LeaveHandler:
  case Opcode::MatchException: return handle_exception(instruction);
  case Opcode::MatchSequence:
  case Opcode::MatchClass:
  case Opcode::MatchKeys:
  case Opcode::MatchMapping:
  case Opcode::PushLength: return match_pattern(instruction);
  case Opcode::Import:
  case Opcode::ImportFrom: return import(instruction);
  case Opcode::EnterWith:
  case Opcode::LeaveWith: return with(instruction);
  case Opcode::StartGenerator: return push(none());
  case Opcode::Yield: {
    Value *item = pop();
    return push(emit(Op::Yield, {item}));
  }
  case Opcode::GetIter: {
    Value *iterable = pop();
    return push(emit(Op::GetIter, {iterable}));
  }
  default: return damaged(); // the others end blocks
  }
}

void StackMachine::load_variable(const Instruction &instruction) {
  int32_t slot = instruction.arg;
  if (bytecode_.is_free(slot) && !draft_.def.runtime_closure)
    return push(captured(slot));
  if (auto function = assigning_.find(slot); function != assigning_.end())
    return push(constant(function->second));
  if (deferred_.contains(slot))
    return push(is_for_deferred() ? none() : made_now(slot));
  Value *value = draft_.read(block_, slot);
  if (instruction.flag && boxes_.contains(slot))
    return push(emit(Op::GetItem, {value, constant(constants::integer(0))}));
  const std::vector<std::string> &cells = draft_.def.code.cellvars;
  const bool is_cell = !instruction.flag && std::ranges::find(cells, bytecode_.variables[slot]) !=
                                                cells.end(); // captured, not read
  if (copies_paths_ && value->op == Op::Undef && instruction.op == Opcode::LoadVariable && !is_cell)
    if (const Const *cls = environment_.global(draft_.def, "UnboundLocalError"))
      return raise(cls,
                   constants::string("cannot access local variable '" + bytecode_.variables[slot] +
                                     "' where it is not associated with a value"));
  push(value);
  if (instruction.op == Opcode::LoadAndClear) {
    Value *undefined = emit(Op::Undef);
    undefined->name = bytecode_.variables[slot];
    draft_.write(block_, slot, undefined);
  }
}

/// A value that debuggers show as a variable; a new one if it is another variable's already. Loops
/// over prange need to see that `low = x` makes no new value: there `low` is shown behind the `if`.
Value *StackMachine::shown_as(Value *value, const std::string &variable) {
  if (value->variable == variable)
    return value;
  if (value->op == Op::Phi || !value->variable.empty()) {
    if (draft_.def.options.parallel)
      return value;
    value = emit(Op::Local, {value});
    value->name = variable;
  }
  value->variable = variable;
  return value;
}

void StackMachine::store_variable(const Instruction &instruction) {
  int32_t slot = instruction.arg;
  if (bytecode_.is_free(slot) &&
      (!draft_.def.runtime_closure || instruction.op == Opcode::DeleteVariable))
    return refuse(nonlocal_store);
  if (instruction.flag && is_boxed(slot))
    return store_in_box(instruction);
  Value *value;
  if (instruction.op == Opcode::DeleteVariable) {
    value = emit(Op::Undef);
    value->name = bytecode_.variables[slot];
  } else {
    value = pop();
    if (slot == bytecode_.sent)
      return draft_.write(block_, slot, value);
    if (deferred_.contains(slot) && value->op == Op::Const && given_.contains(value->constant))
      value = given_[value->constant];
    if ((value->op == Op::Call || value->op == Op::BuildList) && value->name.empty())
      value->name = bytecode_.variables[slot]; // for messages
    if (!has_declared_type_.empty() && has_declared_type_[slot] && value->op != Op::Undef) {
      value = emit(Op::Local, {value});
      value->name = bytecode_.variables[slot];
    }
    if (draft_.def.options.debug && value->op != Op::Undef)
      value = shown_as(value, bytecode_.variables[slot]);
  }
  if (instruction.flag) {
    // A place in the block for check_captures to find; dead, so it leaves no trace.
    Value *marker = emit(Op::Undef);
    marker->name = bytecode_.variables[slot];
    draft_.cell_stores.push_back(
        {slot, instruction.op == Opcode::DeleteVariable ? nullptr : value, marker});
  }
  draft_.write(block_, slot, value);
}

void StackMachine::global(const std::string &name, bool with_null) {
  // 3.11 and 3.12 may load attributes of the value before they call it, so it must be on top. (3.13
  // puts NULL on top, and only where the value itself is called: there the order makes no
  // difference.)
  if (with_null)
    push(&draft_.null);
  if (const Const *value = environment_.global(draft_.def, name)) {
    push(constant(value));
  } else {
    Value *unbound = emit(Op::Unbound);
    unbound->name = name;
    push(unbound);
  }
}

/// What the name of an attribute begins with that is looked for behind a class: classes have their
/// bases' members under such names.
std::string StackMachine::super_prefix(const Value &cls) {
  const bool known = cls.op == Op::Const && cls.constant->kind == ConstKind::Object;
  return "super " + (known ? cls.constant->object->name : std::string("?")) + " ";
}

/// `super()` before 3.12, where an attribute follows; later versions have an instruction.
bool StackMachine::call_super(const Value &callee, int32_t arguments) {
  if (callee.op != Op::Const || callee.constant->kind != ConstKind::Object || arguments != 0 ||
      callee.constant->object->name != "builtins.super")
    return false;
  const std::vector<std::string> &names = draft_.def.code.freevars;
  const auto at = std::ranges::find(names, "__class__");
  const auto &closure = environment_.closure(draft_.def);
  const auto index = static_cast<size_t>(at - names.begin());
  if (index >= closure.size() || !closure[index])
    return false;
  Value *made = draft_.make(Op::Undef, position_);
  supers_[made] = {draft_.read(block_, 0), super_prefix(*constant(closure[index]))};
  push(made);
  return true;
}

/// A function that makes an instance calls those of the bases.
std::string StackMachine::name_in_super(const std::string &name) const {
  return draft_.def.makes_self && name == "__init__" ? "<make>" : name;
}

/// `self.reset()` in a function that makes an instance, for what it does only: `self` is what a
/// function like the method returns that makes an instance, too.
void StackMachine::drop(Value &value) {
  if (failed_ || !draft_.def.makes_self || value.op != Op::Call)
    return;
  for (size_t i = 0; i < std::min<size_t>(2, value.operands.size()); ++i) {
    Value &callee = *value.operands[i];
    if (callee.op != Op::GetAttr || callee.operands[0] != draft_.read(block_, 0))
      continue;
    callee.name.insert(callee.name.rfind(' ') + 1, "make "); // npos: no name behind super()
    draft_.write(block_, 0, &value);
    return;
  }
}

void StackMachine::store_attribute(const std::string &name) {
  Value *object = pop();
  Value *value = pop();
  if (draft_.def.makes_self && object == draft_.read(block_, 0)) {
    Value *text = constant(constants::string(name));
    draft_.write(block_, 0, call_builtin("numjit.with_field", {object, text, value}));
    return;
  }
  emit(Op::SetAttr, {object, value})->name = name;
}

void StackMachine::items(const Instruction &instruction) {
  switch (instruction.op) {
  case Opcode::LoadAttr: {
    Value *object = pop();
    const auto found = supers_.find(object);
    Value *value = emit(Op::GetAttr, {found == supers_.end() ? object : found->second.self});
    value->name = found == supers_.end() ? *instruction.name
                                         : found->second.prefix + name_in_super(*instruction.name);
    push(value);
    if (instruction.flag)
      push(&draft_.null);
    return;
  }
  case Opcode::LoadSuper: {
    const std::vector<Value *> operands = pop(3);
    Value *value = emit(Op::GetAttr, {operands[2]});
    value->name = super_prefix(*operands[1]) + name_in_super(*instruction.name);
    push(value);
    if (instruction.flag)
      push(&draft_.null);
    return;
  }
  case Opcode::StoreAttr: return store_attribute(*instruction.name);
  case Opcode::LoadItem: {
    std::vector<Value *> operands = pop(2);
    return push(emit(Op::GetItem, std::move(operands)));
  }
  case Opcode::StoreItem: {
    std::vector<Value *> operands = pop(3); // value, object, key
    if (!failed_)
      emit(Op::SetItem, {operands[1], operands[2], operands[0]});
    return;
  }
  case Opcode::DeleteItem: {
    std::vector<Value *> operands = pop(2);
    emit(Op::DelItem, std::move(operands));
    return;
  }
  default: break;
  }
  // Slices: [value] object start stop
  bool store = instruction.op == Opcode::StoreSlice;
  std::vector<Value *> operands = pop(store ? 4 : 3);
  if (failed_)
    return;
  Value *step = none();
  Value **object = &operands[store ? 1 : 0];
  Value *slice = emit(Op::BuildSlice, {object[1], object[2], step});
  if (store)
    emit(Op::SetItem, {object[0], slice, operands[0]});
  else
    push(emit(Op::GetItem, {object[0], slice}));
}

void StackMachine::operation(const Instruction &instruction) {
  std::vector<Value *> operands = pop(instruction.op == Opcode::Unary ? 1 : 2);
  // 3.13 makes a bool in front of a branch or `not` that older versions take from any object.
  if (instruction.op == Opcode::Unary && instruction.oper == Operator::Truth && !failed_)
    return push(truth(operands[0]));
  // `x in y` and `x not in y` keep the order of the source.
  Value *value = emit(Op::Operator, std::move(operands));
  value->oper = instruction.oper;
  value->inplace = instruction.op == Opcode::Binary && instruction.flag;
  push(value);
}

void StackMachine::build(const Instruction &instruction) {
  switch (instruction.op) {
  case Opcode::BuildMap: {
    std::vector<Value *> operands = pop(2 * instruction.arg);
    return push(emit(Op::BuildMap, std::move(operands)));
  }
  case Opcode::BuildConstKeyMap: {
    Value *keys = pop();
    std::vector<Value *> values = pop(instruction.arg);
    if (keys->op != Op::Const || keys->constant->kind != ConstKind::Tuple ||
        keys->constant->items.size() != values.size())
      return damaged();
    std::vector<Value *> operands;
    for (size_t i = 0; i < values.size(); ++i) {
      operands.push_back(constant(keys->constant->items[i]));
      operands.push_back(values[i]);
    }
    return push(emit(Op::BuildMap, std::move(operands)));
  }
  case Opcode::BuildSlice: {
    std::vector<Value *> operands = pop(instruction.arg == 3 ? 3 : 2);
    if (operands.size() == 2)
      operands.push_back(none());
    return push(emit(Op::BuildSlice, std::move(operands)));
  }
  default: break;
  }
  Op op = instruction.op == Opcode::BuildTuple  ? Op::BuildTuple
          : instruction.op == Opcode::BuildList ? Op::BuildList
          : instruction.op == Opcode::BuildSet  ? Op::BuildSet
                                                : Op::BuildString;
  std::vector<Value *> operands = pop(instruction.arg);
  Value *value = emit(op, std::move(operands));
  push(value);
  if (op == Op::BuildTuple)
    note_closure(value, instruction);
}

/// A tuple of variables may become a function's closure: remembers which variables they were.
void StackMachine::note_closure(Value *tuple, const Instruction &instruction) {
  closure_.tuple = tuple;
  closure_.slots.clear();
  if (instruction.arg > at_)
    return;
  for (int32_t i = at_ - instruction.arg; i < at_; ++i) {
    const Instruction &load = bytecode_.code[i];
    closure_.slots.push_back(load.op == Opcode::LoadVariable ? load.arg : -1);
  }
}

/// {"a": x, ...} of many items, and f(a=x, ...) of many arguments, come as a map to which they are
/// added one by one, and then another map: makes it a map of them all. (In a comprehension the map
/// is of another block.)
bool StackMachine::join_map(Opcode opcode, Value &map, std::vector<Value *> items) {
  std::vector<Value *> &values = draft_.blocks[block_].block.values;
  const auto place = std::find(values.begin(), values.end(), &map);
  if (map.op != Op::BuildMap || place == values.end() ||
      std::any_of(place, values.end(), [&](const Value *value) {
        return std::count(value->operands.begin(), value->operands.end(), &map) > 0;
      }))
    return false;
  if (opcode == Opcode::MapUpdate && values.back() == items[0] && items[0]->op == Op::BuildMap) {
    values.pop_back();
    items = items[0]->operands;
  } else if (opcode != Opcode::MapAdd) {
    return false;
  }
  std::erase(values, &map);
  map.operands.insert(map.operands.end(), items.begin(), items.end());
  values.push_back(&map);
  return true;
}

void StackMachine::extend(const Instruction &instruction) {
  std::vector<Value *> operands = pop(instruction.op == Opcode::MapAdd ? 2 : 1);
  Value *&place = slot(instruction.arg);
  if (failed_)
    return;
  Value *container = Draft::resolve(place);
  std::vector<Value *> &values = draft_.blocks[block_].block.values;
  if (join_map(instruction.op, *container, operands))
    return;
  bool is_list = instruction.op == Opcode::ListExtend;
  // `[1, 2, 3]` comes as an empty list extended by a constant tuple: make it a list of constants.
  if ((is_list || instruction.op == Opcode::SetUpdate) && values.size() >= 2 &&
      values.end()[-2] == container && values.end()[-1] == operands[0] &&
      container->op == (is_list ? Op::BuildList : Op::BuildSet) && container->operands.empty() &&
      operands[0]->op == Op::Const && operands[0]->constant->is_tuple()) {
    const Const *tuple = operands[0]->constant;
    position_ = container->position;
    values.resize(values.size() - 2);
    std::vector<Value *> items;
    for (const Const *item : tuple->items)
      items.push_back(constant(item));
    place = emit(container->op, std::move(items));
    return;
  }
  struct Row {
    Opcode opcode;
    Op op;
  };
  static constexpr Row rows[] = {
      {Opcode::ListAppend, Op::ListAppend}, {Opcode::SetAdd, Op::SetAdd},
      {Opcode::MapAdd, Op::MapAdd},         {Opcode::ListExtend, Op::ListExtend},
      {Opcode::SetUpdate, Op::SetUpdate},   {Opcode::MapUpdate, Op::MapUpdate}};
  for (const Row &row : rows) {
    if (row.opcode != instruction.op)
      continue;
    operands.insert(operands.begin(), container);
    emit(row.op, std::move(operands));
    return;
  }
}

void StackMachine::format(const Instruction &instruction) {
  if (instruction.op == Opcode::Convert) {
    Value *operand = pop();
    Value *value = emit(Op::FormatValue, {operand});
    value->index = instruction.arg & 3;
    return push(value);
  }
  std::vector<Value *> operands = pop(instruction.flag ? 2 : 1);
  if (failed_)
    return;
  int32_t conversion = instruction.arg;
  // 3.13 converts and formats in two instructions.
  Value *converted = operands[0];
  if (converted->op == Op::FormatValue && converted->index && converted->operands.size() == 1) {
    if (!instruction.flag)
      return push(converted);
    conversion = converted->index;
    operands[0] = converted->operands[0];
  }
  Value *value = emit(Op::FormatValue, std::move(operands));
  value->index = conversion;
  push(value);
}

/// The exception that is being handled is a variable: handlers keep the one before on the stack.
void StackMachine::handle_exception(const Instruction &instruction) {
  if (bytecode_.handled < 0)
    return damaged();
  if (instruction.op == Opcode::LeaveHandler)
    return draft_.write(block_, bytecode_.handled, pop());
  if (instruction.op == Opcode::MatchException) {
    Value *classes = pop();
    Value *exception = Draft::resolve(slot(1));
    return push(call_builtin("numjit.is_caught", {exception, classes}));
  }
  Value *exception = pop();
  push(draft_.read(block_, bytecode_.handled));
  draft_.write(block_, bytecode_.handled, exception);
  push(exception);
}

void StackMachine::match_pattern(const Instruction &instruction) {
  if (instruction.op == Opcode::MatchClass) {
    Value *names = pop(), *cls = pop(), *subject = pop();
    Value *count = constant(constants::integer(instruction.arg));
    return push(call_builtin("numjit.match_class", {subject, cls, names, count}));
  }
  Value *top = Draft::resolve(slot(1));
  switch (instruction.op) {
  case Opcode::MatchKeys:
    return push(call_builtin("numjit.match_keys", {Draft::resolve(slot(2)), top}));
  case Opcode::MatchMapping:
    return push(
        call_builtin("builtins.isinstance", {top, constant(constants::builtin("builtins.dict"))}));
  case Opcode::PushLength: return push(call_builtin("builtins.len", {top}));
  default: return push(call_builtin("numjit.is_sequence", {top}));
  }
}

void StackMachine::raise(const Const *cls, const Const *text) {
  Value *exception = emit(Op::Call, {constant(cls), constant(text)});
  emit(Op::Raise, {exception});
  ended_ = true;
}

/// Modules are imported when the function is read: what the statement returns is a constant, or an
/// exception that is raised where the statement stands.
void StackMachine::import(const Instruction &instruction) {
  const FunctionDef &function = draft_.def;
  if (instruction.op == Opcode::ImportFrom) {
    Value *module = Draft::resolve(slot(1));
    if (failed_)
      return;
    if (module->op != Op::Const || !module->constant->is_object(ObjectKind::Module)) {
      Value *part = emit(Op::GetAttr, {module});
      part->name = *instruction.name;
      return push(part);
    }
    const Const &object = *module->constant;
    if (const Const *part = environment_.attribute(function, object, *instruction.name))
      return push(constant(part));
    return damaged(); // Environment::imported looked
  }
  const std::vector<Value *> operands = pop(2);
  if (failed_ || operands[0]->op != Op::Const || operands[1]->op != Op::Const)
    return damaged();
  const Const &names = *operands[1]->constant;
  std::string statement = names.is_tuple() ? "from " : "import ";
  statement += std::string(static_cast<size_t>(operands[0]->constant->integer), '.');
  statement += *instruction.name;
  for (size_t i = 0; i < names.items.size(); ++i)
    statement += (i ? ", " : " import ") + names.items[i]->text;
  const Const *module = environment_.imported(function, statement);
  if (!module)
    return refuse("this import cannot be compiled; import at the top of the module");
  if (module->is_tuple())
    return raise(module->items[0], module->items[1]);
  push(constant(module));
}

void StackMachine::with(const Instruction &instruction) {
  auto method = [&](Value *object, const char *name) {
    Value *made = emit(Op::GetAttr, {object});
    made->name = name;
    return made;
  };
  if (instruction.op == Opcode::EnterWith) {
    Value *manager = pop();
    Value *enter = method(manager, "__enter__");
    push(method(manager, "__exit__"));
    return push(emit(Op::Call, {enter}));
  }
  Value *exception = Draft::resolve(slot(1)), *exit = Draft::resolve(slot(4));
  // What stands for the class of the exception is the exception.
  Value *traceback = none();
  push(emit(Op::Call, {exit, exception, exception, traceback}));
}

void StackMachine::unpack(const Instruction &instruction) {
  Value *sequence = pop();
  if (instruction.op == Opcode::UnpackSequence && sequence->op == Op::BuildTuple &&
      static_cast<int32_t>(sequence->operands.size()) == instruction.arg) {
    for (size_t i = sequence->operands.size(); i-- > 0;) // a, b, c, d = [], [], [], []
      push(sequence->operands[i]);
    return;
  }
  Value *check = emit(Op::Unpack, {sequence});
  bool starred = instruction.op == Opcode::UnpackStarred;
  check->index = instruction.arg + instruction.arg2;
  check->star = starred ? instruction.arg2 : -1;
  for (int32_t i = check->index + (starred ? 1 : 0); i-- > 0;) {
    Value *item = emit(Op::UnpackItem, {check});
    item->index = i;
    push(item);
  }
}

} // namespace numjit::ssa
