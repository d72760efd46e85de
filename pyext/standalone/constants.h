/* Global lists, dicts and sets that hold more than numbers: they are made when a module is
   imported, and live as long as the process. */
#ifndef NUMJIT_STANDALONE_CONSTANTS_H
#define NUMJIT_STANDALONE_CONSTANTS_H

#include "pyext/standalone/lists.h"

static nj_table *nj_table_in(const void *block) {
  return (nj_table *)((char *)block + NJ_PAYLOAD_OFFSET);
}

/* Appends an entry, whose index comes later. */
static int nj_add_entry(const nj_type *entry, nj_table *table, PyObject *key, PyObject *value) {
  const Py_hash_t hash = PyObject_Hash(key);
  PyObject *parts = hash == -1 ? NULL
                    : value    ? Py_BuildValue("(nOO)", hash, key, value)
                               : Py_BuildValue("(nO)", hash, key);
  char *memory = table->entries + table->end * entry->memory_size;
  nj_kept kept = {0};
  const int fine = parts && nj_put_item(&kept, parts, entry, memory);
  if (fine) {
    uint64_t slots[entry->slots + 1];
    nj_read_item(entry, memory, slots);
    nj_retain_owners(entry, slots);
    ++table->used;
    ++table->end;
    --table->room;
  }
  nj_drop_kept(&kept);
  Py_XDECREF(parts);
  return fine;
}

static int nj_fill_table(const nj_type *entry, nj_table *table, PyObject *object) {
  PyObject *key, *value;
  int fine = 1;
  if (PyDict_Check(object)) {
    for (Py_ssize_t at = 0; fine && PyDict_Next(object, &at, &key, &value);)
      fine = nj_add_entry(entry, table, key, value);
    return fine;
  }
  PyObject *keys = PySequence_List(object);
  fine = keys != NULL;
  for (Py_ssize_t i = 0; fine && i < PyList_GET_SIZE(keys); ++i)
    fine = nj_add_entry(entry, table, PyList_GET_ITEM(keys, i), NULL);
  Py_XDECREF(keys);
  return fine;
}

static int nj_make_table(const nj_constant *row, PyObject *object) {
  void *block = NULL, *indexed = NULL;
  const int fine = nj_table_new(row->descriptor, &block) == 0 &&
                   nj_table_reserve(block, PyObject_Size(object)) == 0 &&
                   nj_fill_table(row->item, nj_table_in(block), object) &&
                   nj_table_copy(block, &indexed) == 0; /* which makes the index */
  if (fine)
    memcpy(row->content, nj_table_in(indexed), sizeof(nj_table));
  nj_release(block);
  return fine;
}

static int nj_make_list(const nj_constant *row, PyObject *object) {
  const nj_type *params[] = {row->item};
  const nj_type type = {.kind = NJ_LIST, .params = params};
  void *block = NULL;
  nj_kept kept = {0};
  const int fine = nj_list_new(0, row->item->memory_size, row->descriptor, &block) == 0 &&
                   nj_fill_list(&kept, object, &type, block);
  if (fine)
    memcpy(row->content, nj_list_in(block), sizeof(nj_list));
  nj_drop_kept(&kept);
  return fine;
}

static int nj_make_constant(nj_constant *row) {
  if (row->is_made)
    return 1;
  PyObject *loads = nj_attribute_of_module("pickle", "loads");
  PyObject *object =
      loads ? PyObject_CallFunction(loads, "y#", row->pickled, (Py_ssize_t)row->size) : NULL;
  row->is_made = object && (row->is_table ? nj_make_table(row, object) : nj_make_list(row, object));
  Py_XDECREF(loads);
  Py_XDECREF(object);
  if (!row->is_made && !PyErr_Occurred())
    PyErr_NoMemory();
  return row->is_made;
}

#endif
