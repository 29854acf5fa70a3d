#include "CLoading.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const char *cloading_open(const char *file, const cloading_function *functions, size_t count) {
  pthread_mutex_lock(&lock);
  const char *failure = NULL;
  // The last function is there only if all are.
  if (*functions[count - 1].pointer == NULL) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) failure = dlerror();
    for (size_t index = 0; failure == NULL && index < count; index++) {
      void *function = dlsym(library, functions[index].name);
      if (function == NULL) failure = dlerror();
      *functions[index].pointer = function;
    }
  }
  pthread_mutex_unlock(&lock);
  return failure;
}
