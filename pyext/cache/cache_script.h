// What compiled code depends on outside of its function, as a script: each line reads one object,
// such as a global or an attribute, from which later lines may read. Unless the function itself
// determines it, the line has a digest of the object.
#pragma once

#include "pyext/python.h"
#include "typeinfer/types/codec.h"

#include <map>
#include <set>
#include <stdexcept>

namespace numjit {

struct FunctionDef;
struct OverloadAnswer;
class PythonHost;

/// Why code cannot be kept: it refers to something that another process cannot find.
struct NotPortable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CacheScript {
public:
  /// `host`: that of the compilation, by which the script reads.
  CacheScript(FunctionDef &function, const std::vector<const Type *> &arguments, const Type *result,
              PythonHost &host);

  /// Writes the script: what the functions of the compilation have read. Throws NotPortable.
  /// Needs the GIL.
  void write();
  /// Runs a script. False if an object differs: `difference` names it. Throws BadBytes. Needs the
  /// GIL.
  bool run(Decoder &script);

  std::string bytes;      ///< what write made
  std::string difference; ///< what run found

  // --- objects, as values of the script or by name ---
  void write_object(Encoder &out, const Object &object) const; ///< throws NotPortable
  const Object *read_object(Decoder &in) const;

private:
  enum class Ask : uint8_t {
    FunctionOf,
    Const,
    Default,
    KeywordDefault,
    Closure,
    Read,
    Item,
    Class,
    Member,
    Made,
    Argument,
    Overload
  };
  struct Value {
    FunctionDef *function = nullptr;
    const Const *constant = nullptr;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t line(Ask ask, uint32_t of, uint32_t index, Value value, std::string_view name = {});
  void visit();
  void note_overloads();
  bool note_overload(const OverloadAnswer &answer, std::string &problem);
  void note(uint32_t number, const Const *constant);
  void note_class(uint32_t number, const Object &cls);
  void note_slots(uint32_t function);
  void note_reads(uint32_t function);
  Value answer(Decoder &script);
  Value read_again(Decoder &script, const Value &of, uint32_t index);
  Value ask_again(Decoder &script);
  const Value &at(uint64_t number) const;
  const std::vector<const Const *> *plain_list(const FunctionDef &def, char list);

  PythonHost &host_;
  std::vector<Value> values_;
  std::vector<const Const *> argument_constants_;
  std::map<const Object *, uint32_t> objects_;
  std::map<const FunctionDef *, uint32_t> known_functions_;
  std::set<const FunctionDef *> wanted_;
  std::vector<uint32_t> to_visit_;
  uint32_t lines_ = 0;
  Encoder out_;
};

} // namespace numjit
