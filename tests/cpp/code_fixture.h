// Reads the fixtures that data/dump_code.py writes: code objects of real interpreters, so that the
// frontend is tested without Python.
#pragma once

#include "frontend/ssa_builder.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace numjit::fixture {

inline std::ifstream open(const std::string &name) {
  std::ifstream file(std::filesystem::path(NUMJIT_TEST_DATA) / name);
  if (!file)
    throw std::runtime_error("no fixture " + name);
  return file;
}

/// Globals and attributes as maps; one object per name.
class Names : public Environment {
public:
  std::map<std::string, const Const *> globals;
  std::map<std::pair<std::string, std::string>, const Const *> attributes;

  const Const *add_object(ObjectKind kind, const std::string &name) {
    Object *object = new Object; // rows of constants live as long as the process
    object->kind = kind;
    object->name = name;
    return constants::object(object);
  }

  const Const *global(const FunctionDef &, const std::string &name) override {
    auto found = globals.find(name);
    return found == globals.end() ? nullptr : found->second;
  }

  const Const *attribute(const FunctionDef &, const Const &object,
                         const std::string &name) override {
    auto found = attributes.find({object.object->name, name});
    return found == attributes.end() ? nullptr : found->second;
  }
};

/// The functions of one fixture file.
class Functions {
public:
  explicit Functions(int minor) : file_(open("frontend-3." + std::to_string(minor) + ".txt")) {
    while (next("function")) {
      FunctionDef &def = read_code(minor);
      if (next("positions"))
        for (int count = std::stoi(rest_); count > 0; --count) {
          std::istringstream line(take());
          Position p;
          line >> p.line >> p.end_line >> p.column >> p.end_column;
          positions.push_back(p);
        }
      by_name_[def.code.name] = &def;
      all.push_back(&def);
    }
  }

  FunctionDef &operator[](const std::string &name) const { return *by_name_.at(name); }

  std::vector<FunctionDef *> all;
  std::vector<Position> positions; ///< of nested_loops, one per code unit

private:
  std::string take() {
    std::string line;
    std::getline(file_, line);
    return line;
  }

  /// Whether the next line starts with `key`; if so it is read and the rest is kept.
  bool next(const std::string &key) {
    auto start = file_.tellg();
    std::string line;
    if (std::getline(file_, line) && line.substr(0, line.find(' ')) == key) {
      rest_ = line.size() > key.size() ? line.substr(key.size() + 1) : "";
      return true;
    }
    file_.clear();
    file_.seekg(start);
    return false;
  }

  std::string field(const std::string &key) {
    if (!next(key))
      throw std::runtime_error("fixture has no " + key);
    return rest_;
  }

  std::vector<std::string> words(const std::string &key) {
    std::istringstream stream(field(key));
    std::vector<std::string> result;
    for (std::string word; stream >> word;)
      result.push_back(word);
    return result;
  }

  std::vector<uint8_t> bytes(const std::string &key) {
    std::string hex = field(key);
    std::vector<uint8_t> result;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
      result.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return result;
  }

  FunctionDef &read_code(int minor) {
    FunctionDef &def = defs_.emplace_back();
    Code &code = def.code;
    code.minor = minor;
    code.name = field("name");
    code.qualname = field("qualname");
    code.first_line = std::stoi(field("line"));
    code.flags = std::stoi(field("flags"));
    std::istringstream args(field("args"));
    args >> code.argcount >> code.posonlyargcount >> code.kwonlyargcount;
    code.names = words("names");
    code.varnames = words("varnames");
    code.cellvars = words("cellvars");
    code.freevars = words("freevars");
    code.localsplus = words("localsplus");
    code.bytecode = bytes("bytecode");
    code.linetable = bytes("linetable");
    code.exceptiontable = bytes("exceptiontable");
    for (int count = std::stoi(field("consts")); count > 0; --count)
      code.consts.push_back(read_const(minor));
    return def;
  }

  const Const *read_const(int minor) {
    if (next("code")) {
      Object *object = new Object;
      object->kind = ObjectKind::Code;
      object->function = &read_code(minor);
      object->function->runtime_closure = true;
      object->name = object->function->code.name;
      return constants::object(object);
    }
    if (next("tuple")) {
      std::vector<const Const *> items;
      for (int count = std::stoi(rest_); count > 0; --count)
        items.push_back(read_const(minor));
      return constants::tuple(items);
    }
    if (next("int"))
      return constants::integer(std::stoll(rest_));
    if (next("float"))
      return constants::floating(std::stod(rest_));
    if (next("str"))
      return constants::string(rest_);
    std::string word = take();
    if (word == "none")
      return constants::none();
    if (word == "ellipsis")
      return constants::ellipsis();
    return constants::boolean(word == "true");
  }

  std::ifstream file_;
  std::string rest_;
  std::deque<FunctionDef> defs_;
  std::map<std::string, FunctionDef *> by_name_;
};

/// SSA text without "  @line:column" and ", for offset", which differ between versions.
inline std::string without_positions(const std::string &text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    result += line.substr(0, std::min(line.find("  @"), line.find(", for "))) + "\n";
  return result;
}

/// The versions that there are fixtures of: those that an interpreter was there for.
constexpr int minors[] = {11, 12, 13};

inline const Functions &functions(int minor) {
  static std::map<int, Functions> *files = new std::map<int, Functions>;
  auto found = files->find(minor);
  if (found == files->end())
    found = files
                ->emplace(std::piecewise_construct, std::forward_as_tuple(minor),
                          std::forward_as_tuple(minor))
                .first;
  return found->second;
}

} // namespace numjit::fixture
