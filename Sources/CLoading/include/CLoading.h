/// Libraries that are opened when they are first needed. Most commands need neither HTTP nor a database, and the libraries
/// for them bring thirty others, which take longer to load than a short command takes to run.
#pragma once

#include <stddef.h>

/// A function of a library, and the pointer to it, which is NULL until the library is opened.
typedef struct {
  const char *_Nonnull name;
  void *_Nullable *_Nonnull pointer;
} cloading_function;

/// For lists of functions: the member of a struct named `library` for a function, and the entry that sets it.
#define CLOADING_MEMBER(name) __typeof__(name) *name;
#define CLOADING_ENTRY(name) {#name, (void **)&library.name},

/// Opens the library `file`, unless it is open, and sets the pointers to its functions. Returns NULL, or the reason why the
/// library cannot be used, as the system gives it. Any thread may call it at any time.
const char *_Nullable cloading_open(const char *_Nonnull file, const cloading_function *_Nonnull functions, size_t count);
