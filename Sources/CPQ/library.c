#include "CPQ.h"

#include <CLoading.h>

const cpq_functions *cpq_open(const char **failure) {
  static cpq_functions library;
  static const cloading_function functions[] = {CPQ_FUNCTIONS(CLOADING_ENTRY)};
  *failure = cloading_open("libpq.so.5", functions, sizeof functions / sizeof *functions);
  return *failure == NULL ? &library : NULL;
}
