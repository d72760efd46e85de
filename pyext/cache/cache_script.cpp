#include "pyext/cache/cache_script.h"

#include "frontend/code.h"
#include "pyext/cache/cache_key.h"
#include "pyext/cache/cache_overloads.h"
#include "pyext/read/function_def.h"
#include "pyext/read/host.h"
#include "pyext/read/names.h"
#include "pyext/read/objects.h"

#include <algorithm>

namespace numjit {

namespace {

bool holds_objects(const Const *constant) {
  if (!constant)
    return false;
  if (constant->object)
    return true;
  return std::any_of(constant->items.begin(), constant->items.end(), holds_objects);
}

/// The constants in types, in an order that only depends on the types.
void collect(const Type *type, std::vector<const Const *> &found) {
  if (!type)
    return;
  if (holds_objects(type->constant))
    found.push_back(type->constant);
  for (const Type *param : type->params)
    collect(param, found);
}

/// Part of numjit's own files, which the key of every entry covers; not made for a function of the
/// user's.
bool is_static(const FunctionDef &def) {
  const auto is_own = [](const numjit::Const *value) {
    return !value || value->kind != ConstKind::Object || !value->object->function ||
           is_static(*value->object->function);
  };
  if (!def.handle || !def.is_library)
    return false;
  auto *function = static_cast<PyObject *>(def.handle);
  return is_library_module(text_of(PyFunction_GetModule(function))) &&
         std::all_of(def.surroundings->closure.begin(), def.surroundings->closure.end(), is_own);
}

/// Whether it is an operation in LLVM IR that holds addresses.
bool is_of_this_process(const FunctionDef &def) {
  auto *function = static_cast<PyObject *>(def.handle);
  return function && attribute_or_null(function, "_numjit_of_this_process_").get() == Py_True;
}

Ref of_pickling(const char *function, PyObject *argument) {
  if (!argument) // an object of the compiler's own
    return Ref(Py_NewRef(Py_None));
  Ref module(PyImport_ImportModule("numjit.pickling"));
  Ref result(module ? PyObject_CallMethod(module.get(), function, "O", argument) : nullptr);
  if (!result)
    throw PythonError();
  return result;
}

} // namespace

CacheScript::CacheScript(FunctionDef &function, const std::vector<const Type *> &arguments,
                         const Type *result, PythonHost &host)
    : host_(host), out_([this](Encoder &out, const Object &object) { write_object(out, object); }) {
  values_.push_back({&function, nullptr});
  for (const Type *type : arguments)
    collect(type, argument_constants_);
  collect(result, argument_constants_);
}

// --- writing -------------------------------------------------------------------------------------

uint32_t CacheScript::line(Ask ask, uint32_t of, uint32_t index, Value value,
                           std::string_view name) {
  out_.number(static_cast<uint64_t>(ask));
  out_.number(of);
  out_.number((static_cast<uint64_t>(index) + 1) & UINT32_MAX);
  if (ask == Ask::Read) {
    out_.text(name);
    out_.digest(digest_of_constant(value.constant, host_));
  }
  ++lines_;
  values_.push_back(value);
  return static_cast<uint32_t>(values_.size() - 1);
}

/// Remembers which objects value `number` leads to, and visits functions among them.
void CacheScript::note(uint32_t number, const Const *constant) {
  if (!holds_objects(constant))
    return;
  if (constant->kind != ConstKind::Object) {
    for (size_t i = 0; i < constant->items.size(); ++i)
      if (holds_objects(constant->items[i])) {
        const auto index = static_cast<uint32_t>(i);
        note(line(Ask::Item, number, index, {nullptr, constant->items[i]}), constant->items[i]);
      }
    if (constant->object) {
      const Const *cls = constants::object(constant->object);
      note(line(Ask::Class, number, 0, {nullptr, cls}), cls);
    }
    return;
  }
  if (!objects_.emplace(constant->object, number).second)
    return;
  note_class(number, *constant->object);
  FunctionDef *function = constant->object->function;
  if (function && wanted_.contains(function) && !known_functions_.contains(function)) {
    const uint32_t made = line(Ask::FunctionOf, number, 0, {function, nullptr});
    known_functions_[function] = made;
    to_visit_.push_back(made);
  }
}

/// The methods of a class, and what stands for a plain class.
void CacheScript::note_class(uint32_t number, const Object &cls) {
  if (cls.kind == ObjectKind::Class && cls.value)
    note(line(Ask::Made, number, 0, {nullptr, cls.value}), cls.value);
  if (cls.kind != ObjectKind::DataClass && cls.kind != ObjectKind::JitClass)
    return;
  for (uint32_t i = 0; i < cls.members.size(); ++i)
    if (const Const *member = cls.members[i].second; member->is_object(ObjectKind::Function))
      note(line(Ask::Member, number, i, {nullptr, member}), member);
}

/// The constants that belong to a function: `list` of the three that are lists.
const std::vector<const Const *> *CacheScript::plain_list(const FunctionDef &def, char list) {
  switch (list) {
  case 'c': return &def.code.consts;
  case 'd': return &def.defaults;
  default: return &host_.closure(def);
  }
}

void CacheScript::note_slots(uint32_t number) {
  const FunctionDef &def = *values_[number].function;
  for (auto [list, ask] : {std::pair{'c', Ask::Const}, {'d', Ask::Default}, {'f', Ask::Closure}}) {
    const auto &values = *plain_list(def, list);
    for (uint32_t i = 0; i < values.size(); ++i)
      if (holds_objects(values[i]))
        note(line(ask, number, i, {nullptr, values[i]}), values[i]);
  }
  uint32_t index = 0;
  for (const auto &[name, value] : def.kwdefaults) {
    if (holds_objects(value))
      note(line(Ask::KeywordDefault, number, index, {nullptr, value}), value);
    ++index;
  }
}

void CacheScript::note_reads(uint32_t number) {
  const FunctionDef &def = *values_[number].function;
  for (const Surroundings::Answer &answer : std::vector(host_.surroundings(def).answers)) {
    uint32_t object = kNone;
    if (answer.object) {
      auto found = objects_.find(answer.object->object);
      if (found == objects_.end())
        throw NotPortable("the attribute '" + answer.name + "' of an object that has no name");
      object = found->second;
    }
    note(line(Ask::Read, number, object, {nullptr, answer.value}, answer.name), answer.value);
  }
}

void CacheScript::visit() {
  while (!to_visit_.empty()) {
    const uint32_t number = to_visit_.back();
    to_visit_.pop_back();
    if (is_of_this_process(*values_[number].function))
      throw NotPortable("addresses in LLVM IR");
    note_slots(number);
    note_reads(number);
  }
}

/// In the order in which they were asked, as an answer can depend on what was asked before. But a
/// question can hold objects that are read from a function that a later one gives.
void CacheScript::note_overloads() {
  std::vector<const OverloadAnswer *> open;
  for (const OverloadAnswer &answer : host_.answers)
    open.push_back(&answer);
  std::string problem;
  while (!open.empty())
    if (std::erase_if(open, [&](auto *each) { return note_overload(*each, problem); }) == 0)
      throw NotPortable(problem);
}

/// False if the question holds an object that has not been read: `problem` names it.
bool CacheScript::note_overload(const OverloadAnswer &answer, std::string &problem) {
  Encoder question([this](Encoder &out, const Object &object) { write_object(out, object); });
  try {
    write_question(question, answer.question);
  } catch (const NotPortable &missing) {
    problem = missing.what();
    return false;
  }
  const uint32_t number = line(Ask::Overload, 0, 0, {answer.function, nullptr});
  out_.bytes += question.bytes;
  out_.number(static_cast<uint64_t>(answer.member));
  out_.number(answer.function != nullptr);
  if (!answer.function)
    return true;
  out_.digest(digest_of_function(*answer.function, host_));
  if (known_functions_.emplace(answer.function, number).second) {
    to_visit_.push_back(number);
    visit();
  }
  return true;
}

void CacheScript::write() {
  const std::vector<FunctionDef *> &functions = host_.read;
  wanted_ = {functions.begin(), functions.end()};
  known_functions_[values_[0].function] = 0;
  for (uint32_t i = 0; i < argument_constants_.size(); ++i)
    note(line(Ask::Argument, 0, i, {nullptr, argument_constants_[i]}), argument_constants_[i]);
  to_visit_.push_back(0);
  visit();
  note_overloads();
  for (const FunctionDef *def : functions) {
    const FunctionDef *around = def;
    while (around->loop_of) // reads in the body of a parallel loop are the function's
      around = around->loop_of;
    if (!known_functions_.contains(around) && !is_static(*around))
      throw NotPortable("the function " + around->name() + "(), which cannot be found by name");
  }
  Encoder count([](Encoder &, const Object &) {});
  count.number(lines_);
  bytes = count.bytes + out_.bytes;
}

// --- running -------------------------------------------------------------------------------------

const CacheScript::Value &CacheScript::at(uint64_t number) const {
  if (number >= values_.size())
    throw BadBytes("a value has no such number");
  return values_[number];
}

CacheScript::Value CacheScript::answer(Decoder &script) {
  const auto ask = static_cast<Ask>(script.number_below(static_cast<uint64_t>(Ask::Overload) + 1));
  const Value of = at(script.number());
  const auto index = static_cast<uint32_t>(script.number() - 1);
  auto item = [&](const auto &list) {
    if (index >= list.size())
      throw BadBytes("a list has no such item");
    return list[index];
  };
  auto def = [&]() -> const FunctionDef & {
    if (!of.function)
      throw BadBytes("a function is expected");
    return *of.function;
  };
  auto constant = [&]() -> const numjit::Const & {
    if (!of.constant)
      throw BadBytes("a constant is expected");
    return *of.constant;
  };
  switch (ask) {
  case Ask::FunctionOf: {
    FunctionDef *function = constant().object ? constant().object->function : nullptr;
    if (!function)
      throw BadBytes("an object is no function");
    return {function, nullptr};
  }
  case Ask::Const: return {nullptr, item(def().code.consts)};
  case Ask::Default: return {nullptr, item(def().defaults)};
  case Ask::Closure: return {nullptr, item(host_.closure(def()))};
  case Ask::KeywordDefault:
    if (index >= def().kwdefaults.size())
      throw BadBytes("a list has no such item");
    return {nullptr, std::next(def().kwdefaults.begin(), index)->second};
  case Ask::Item: return {nullptr, item(constant().items)};
  case Ask::Class:
    if (!constant().object)
      throw BadBytes("a tuple has no class");
    return {nullptr, constants::object(constant().object)};
  case Ask::Member:
    if (!constant().object)
      throw BadBytes("a class is expected");
    return {nullptr, item(constant().object->members).second};
  case Ask::Made:
    if (!constant().object || !constant().object->value)
      throw BadBytes("a plain class is expected");
    return {nullptr, constant().object->value};
  case Ask::Argument: return {nullptr, item(argument_constants_)};
  case Ask::Overload: return ask_again(script);
  case Ask::Read: break;
  }
  return read_again(script, of, index);
}

CacheScript::Value CacheScript::read_again(Decoder &script, const Value &of, uint32_t index) {
  if (!of.function)
    throw BadBytes("a function is expected");
  const std::string name(script.text());
  const Digest digest = script.digest();
  const numjit::Const *value = index == kNone ? host_.global(*of.function, name)
                               : at(index).constant
                                   ? host_.attribute(*of.function, *at(index).constant, name)
                                   : throw BadBytes("a constant is expected");
  if (digest_of_constant(value, host_) != digest)
    difference = "'" + name + "' in " + of.function->name() + "() is another one";
  return {nullptr, value};
}

CacheScript::Value CacheScript::ask_again(Decoder &script) {
  OverloadAnswer then{read_question(script)};
  then.member = static_cast<Host::Member>(script.number_below(3));
  const bool has_function = script.number_below(2) != 0;
  const Digest digest = has_function ? script.digest() : Digest{};
  const OverloadAnswer now = ask_overloads(then.question);
  if (now.member != then.member || (now.function != nullptr) != has_function ||
      (has_function && digest_of_function(*now.function, host_) != digest))
    difference = "the overload of " + now.question.name + " is another one";
  return {now.function, nullptr};
}

bool CacheScript::run(Decoder &script) {
  for (uint64_t count = script.number(); count > 0; --count) {
    const Value value = answer(script);
    if (!difference.empty())
      return false;
    values_.push_back(value);
    if (value.constant && value.constant->kind == ConstKind::Object)
      objects_.emplace(value.constant->object, static_cast<uint32_t>(values_.size() - 1));
  }
  return true;
}

// --- objects -------------------------------------------------------------------------------------

void CacheScript::write_object(Encoder &out, const Object &object) const {
  auto found = objects_.find(&object);
  if (found != objects_.end()) {
    out.number(found->second + 2);
    return;
  }
  // Of the library's own objects: what every process finds under the same name.
  const std::string *known = known_name(static_cast<PyObject *>(object.handle));
  const std::string &name = known ? *known : object.name;
  if (find_named(name).get() == object.handle) {
    out.number(0);
    out.text(name);
    return;
  }
  Ref pickled = of_pickling("pickled_type", static_cast<PyObject *>(object.handle));
  char *data = nullptr;
  Py_ssize_t size = 0;
  if (pickled.get() == Py_None)
    throw NotPortable(name.empty() ? "an object that has no name" : name);
  if (PyBytes_AsStringAndSize(pickled.get(), &data, &size) < 0)
    throw PythonError();
  out.number(1);
  out.text({data, static_cast<size_t>(size)});
}

const Object *CacheScript::read_object(Decoder &in) const {
  const uint64_t number = in.number();
  if (number > 1) {
    const numjit::Const *constant = at(number - 2).constant;
    if (!constant || constant->kind != ConstKind::Object)
      throw BadBytes("a value is no object");
    return constant->object;
  }
  const std::string_view text = in.text();
  Ref object;
  if (number == 0)
    object = find_named(std::string(text));
  else
    object = of_pickling(
        "unpickled_type",
        Ref(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))).get());
  const numjit::Const *constant = object ? const_of(object.get()) : nullptr;
  if (!constant || constant->kind != ConstKind::Object)
    throw BadBytes("a name means nothing here");
  return constant->object;
}

} // namespace numjit
