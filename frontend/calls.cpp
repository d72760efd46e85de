// Calls, and functions made inside of functions.
#include "frontend/memoised.h"
#include "frontend/splice.h"
#include "frontend/stack_machine.h"

#include <algorithm>

namespace numjit::ssa {

namespace {

const std::string keyword_defaults =
    "default values of keyword-only parameters of inner functions must be constants";
const std::string computed_defaults =
    "default values of an inner function must be written in its definition";

/// Bits of MAKE_FUNCTION's argument and of SET_FUNCTION_ATTRIBUTE, bottom of the stack first.
enum FunctionAttribute : int32_t {
  Defaults = 1,
  KeywordDefaults = 2,
  Annotations = 4,
  Closure = 8,
  Annotate = 16 ///< 3.14: a function that returns the annotations
};

} // namespace

/// others.append(self), whose callee is in one of the first two places.
static bool gives_to_method(const std::vector<Value *> &call, const Value &given) {
  return (call[0]->op == Op::GetAttr || call[1]->op == Op::GetAttr) &&
         std::find(call.begin() + 2, call.end(), &given) != call.end();
}

/// super().__init__(...) in a function that makes an instance.
static bool makes_base(const Value &call) {
  return std::ranges::any_of(call.operands, [](const Value *operand) {
    return operand->op == Op::GetAttr && operand->name.starts_with("super ") &&
           operand->name.ends_with(" <make>");
  });
}

/// functools.cache or functools.lru_cache.
static bool is_cache(const Value &value) {
  if (value.op == Op::GetAttr)
    return (value.name == "cache" || value.name == "lru_cache") &&
           value.operands[0]->op == Op::Const && value.operands[0]->constant->object &&
           value.operands[0]->constant->object->name == "functools";
  const Object *object = value.op == Op::Const ? value.constant->object : nullptr;
  return object && (object->name == "functools.cache" || object->name == "functools.lru_cache");
}

/// Whether a call decorates an inner function with a cache, lru_cache(maxsize) or lru_cache; then
/// the function keeps its results in a dict that is made here.
bool StackMachine::decorates_with_cache(const std::vector<Value *> &call) {
  if (call.size() != 2 || call[1]->op != Op::MakeFunction)
    return false;
  Value &decorator = *call[0], &function = *call[1];
  const bool is_made = decorator.op == Op::Call && decorator.operands.size() >= 2 &&
                       (is_cache(*decorator.operands[0]) || is_cache(*decorator.operands[1]));
  if (!is_made && !is_cache(decorator))
    return false;
  FunctionDef &inner = *function.constant->object->function;
  const auto capture = std::ranges::find(draft_.captures, &function, &Capture::function);
  std::vector<Value *> &values = draft_.blocks[block_].block.values;
  const auto place = std::ranges::find(values, &function);
  if (place == values.end() || !can_be_memoised(inner))
    return false;
  if (is_made) { // nothing is left to call
    decorator.op = Op::Const;
    decorator.constant = constants::none();
    decorator.operands.clear();
    decorator.keywords.clear();
    decorator.star = -1;
  }
  mark_memoised(inner);
  values.erase(place); // behind the dict
  Value *results = emit(Op::BuildMap);
  function.operands.push_back(results);
  if (capture != draft_.captures.end())
    capture->slots.push_back(-1);
  else
    draft_.captures.push_back({&function, {-1}});
  values.push_back(&function);
  return true;
}

/// Which of the two callee slots is the callable and whether the other is an argument is only known
/// when all blocks are there (the slots may wait on the stack across blocks): finish() decides.
void StackMachine::call(const Instruction &instruction) {
  if (instruction.op == Opcode::CallStar) {
    std::vector<Value *> operands = pop(instruction.arg & 1 ? 4 : 3);
    if (operands.size() == 4 && operands[3] == &draft_.null) // 3.14: no keyword arguments
      operands.pop_back();
    Value *value = emit(Op::CallStar, std::move(operands));
    value->star = unresolved_callee;
    return push(value);
  }
  const Const *names = instruction.constant;
  if (instruction.op == Opcode::CallKeywords) {
    Value *value = pop();
    names = value->op == Op::Const ? value->constant : nullptr;
    if (!names)
      return damaged();
  }
  std::vector<std::string> keywords;
  if (names) {
    if (names->kind != ConstKind::Tuple ||
        names->items.size() > static_cast<size_t>(instruction.arg))
      return damaged();
    for (const Const *name : names->items)
      keywords.push_back(name->text);
  }
  std::vector<Value *> operands = pop(instruction.arg + 2);
  if (!failed_ && decorates_with_cache(operands))
    return push(operands[1]);
  if (!failed_ &&
      (call_assigning(operands, keywords) || call_super(*operands[0], instruction.arg) ||
       call_super(*operands[1], instruction.arg)))
    return;
  if (!failed_ && draft_.def.makes_self && gives_to_method(operands, *draft_.read(block_, 0)))
    return refuse(
        "self is passed on before its __init__ ends; do that behind the call that makes it");
  Value *value = emit(Op::Call, std::move(operands));
  value->keywords = std::move(keywords);
  value->star = unresolved_callee;
  if (draft_.def.makes_self && makes_base(*value)) {
    draft_.write(block_, 0, value);
    return push(none());
  }
  push(value);
}

void StackMachine::make_function(const Instruction &instruction) {
  if (instruction.op == Opcode::SetFunctionAttribute) {
    Value *function = pop();
    Value *attribute = pop();
    if (instruction.arg == Annotate) {
      drop_annotate(attribute);
      return push(function);
    }
    if (function->op == Op::Const && is_deferred(function->constant)) {
      defer_attribute(*function, instruction.arg, attribute);
      return push(function);
    }
    if (function->op == Op::Const && assigning_defaults(*function, instruction.arg, *attribute))
      return push(function);
    std::vector<Value *> &values = draft_.blocks[block_].block.values;
    auto place = std::find(values.begin(), values.end(), function);
    if (function->op != Op::MakeFunction || place == values.end())
      return damaged();
    // Behind what it is given now.
    values.erase(place);
    set_function_attribute(function, instruction.arg, attribute);
    if (ended_ || failed_)
      return;
    values.push_back(function);
    return push(function);
  }
  Value *code = pop();
  if (code->op != Op::Const || !code->constant->is_object(ObjectKind::Code) ||
      !code->constant->object->function)
    return damaged();
  if (is_deferred(code->constant)) {
    given_[code->constant] = constant(constants::tuple({}));
    for (int32_t bit : {Closure, Annotations, KeywordDefaults, Defaults})
      if (instruction.arg & bit)
        defer_attribute(*code, bit, pop());
    return push(code);
  }
  if (!assigned_free_variables(*code->constant->object->function).empty())
    return make_assigning(code, instruction.arg);
  Value *function = draft_.make(Op::MakeFunction, position_);
  function->constant = code->constant;
  for (int32_t bit : {Closure, Annotations, KeywordDefaults, Defaults})
    if (instruction.arg & bit) {
      Value *attribute = pop();
      if (!ended_ && !failed_)
        set_function_attribute(function, bit, attribute);
    }
  if (ended_ || failed_)
    return;
  function->block = &draft_.blocks[block_].block;
  function->block->values.push_back(function);
  push(function);
}

/// A function that assigns variables of this one.
void StackMachine::make_assigning(Value *code, int32_t attributes) {
  const FunctionDef &inner = *code->constant->object->function;
  bool fits = std::any_of(assigning_.begin(), assigning_.end(),
                          [&](const auto &each) { return each.second == code->constant; });
  for (int32_t bit : {Closure, Annotations, KeywordDefaults, Defaults})
    if (attributes & bit)
      fits = assigning_defaults(*code, bit, *pop()) && fits;
  if (ended_)
    return;
  if (!fits)
    return refuse("inner function '" + inner.code.name + "' assigns variable '" +
                  *assigned_free_variables(inner).begin() +
                  "' of the function around it (nonlocal): such a function can be compiled where "
                  "it is only called by its name; return the new value, or use a list of one item");
  push(code);
}

/// The function that returns annotations is never called: forgets it and what it captures.
void StackMachine::drop_annotate(Value *annotate) {
  std::erase(draft_.blocks[block_].block.values, annotate);
  std::erase_if(draft_.captures, [&](const Capture &each) { return each.function == annotate; });
}

/// What a function that assigns is given when it is made: false if that cannot wait for its calls.
bool StackMachine::assigning_defaults(const Value &code, int32_t bit, Value &attribute) {
  if (bit == Annotations)
    draft_.annotations.push_back(&attribute);
  if (bit == KeywordDefaults)
    set_keyword_defaults(code, attribute);
  if (bit != Defaults)
    return true;
  const bool known = attribute.op == Op::Const && attribute.constant->kind == ConstKind::Tuple;
  if (known)
    defaults_[code.constant] = attribute.constant;
  return known;
}

/// What a function that is made later is given now.
void StackMachine::defer_attribute(const Value &code, int32_t bit, Value *attribute) {
  if (bit == Annotations)
    return draft_.annotations.push_back(attribute);
  if (bit == KeywordDefaults)
    return set_keyword_defaults(code, *attribute);
  if (bit != Defaults)
    return;
  if (attribute->op != Op::BuildTuple &&
      (attribute->op != Op::Const || attribute->constant->kind != ConstKind::Tuple))
    return refuse(computed_defaults);
  given_[code.constant] = attribute;
}

/// Those that are constants belong to the code.
void StackMachine::set_keyword_defaults(const Value &function, const Value &defaults) {
  FunctionDef &inner = *function.constant->object->function;
  if (defaults.op != Op::BuildMap)
    return refuse(keyword_defaults);
  for (size_t i = 0; i < defaults.operands.size(); i += 2)
    if (defaults.operands[i]->op != Op::Const || defaults.operands[i + 1]->op != Op::Const)
      return refuse(keyword_defaults);
  for (size_t i = 0; i < defaults.operands.size(); i += 2)
    inner.kwdefaults[defaults.operands[i]->constant->text] = defaults.operands[i + 1]->constant;
}

void StackMachine::set_function_attribute(Value *function, int32_t bit, Value *attribute) {
  if (bit == Annotations)
    return draft_.annotations.push_back(attribute);
  const FunctionDef &inner = *function->constant->object->function;
  std::vector<Value *> items;
  if (attribute->op == Op::BuildTuple) {
    items = attribute->operands;
  } else if (attribute->op == Op::Const && attribute->constant->kind == ConstKind::Tuple) {
    for (const Const *item : attribute->constant->items)
      items.push_back(constant(item));
  } else if (bit == Defaults || bit == Closure) {
    return refuse(computed_defaults);
  }
  switch (bit) {
  case Defaults:
    function->index = static_cast<int32_t>(items.size());
    function->operands.insert(function->operands.begin(), items.begin(), items.end());
    return;
  case KeywordDefaults: return set_keyword_defaults(*function, *attribute);
  case Closure: break;
  default: return damaged();
  }
  if (items.size() != inner.code.freevars.size())
    return damaged();
  Capture capture{function, {}};
  for (size_t i = 0; i < items.size(); ++i) {
    function->operands.push_back(items[i]);
    bool known = closure_.tuple == attribute && i < closure_.slots.size();
    capture.slots.push_back(known ? closure_.slots[i] : -1);
  }
  draft_.captures.push_back(std::move(capture));
}

} // namespace numjit::ssa
