/// Kills the process at one of its calls that change files, to be loaded before libc (LD_PRELOAD). POSTBACK_KILL_AT is the
/// number of the call, from 1 on; the call itself does not happen. The number of all calls goes into the file that
/// POSTBACK_KILL_COUNT names when the process ends. Writes to standard output and standard error are not counted.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long last = -1;

static void count(void) {
  if (last < 0) {
    const char *text = getenv("POSTBACK_KILL_AT");
    last = text == NULL ? 0 : atol(text);
  }
  if (atomic_fetch_add(&calls, 1) + 1 == last) {
    kill(getpid(), SIGKILL);
    pause();
  }
}

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("POSTBACK_KILL_COUNT");
  if (path == NULL) return;
  const long total = atomic_load(&calls);
  FILE *file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", total);
  fclose(file);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// _exit(2) runs no destructors.
void _exit(int status) {
  tell();
  NEXT(_exit)(status);
  __builtin_unreachable();
}

#define CHANGE(type, name, parameters, arguments) \
  type name parameters {                          \
    count();                                      \
    return NEXT(name) arguments;                  \
  }

CHANGE(int, rename, (const char *a, const char *b), (a, b))
CHANGE(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
CHANGE(int, renameat2, (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e))
CHANGE(int, unlink, (const char *a), (a))
CHANGE(int, unlinkat, (int a, const char *b, int c), (a, b, c))
CHANGE(int, rmdir, (const char *a), (a))
CHANGE(int, mkdir, (const char *a, mode_t b), (a, b))
CHANGE(int, link, (const char *a, const char *b), (a, b))
CHANGE(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
CHANGE(int, symlink, (const char *a, const char *b), (a, b))
CHANGE(int, symlinkat, (const char *a, int b, const char *c), (a, b, c))
CHANGE(int, fsync, (int a), (a))
CHANGE(int, fdatasync, (int a), (a))
CHANGE(int, ftruncate, (int a, off_t b), (a, b))
CHANGE(int, ftruncate64, (int a, off64_t b), (a, b))
CHANGE(int, fallocate, (int a, int b, off_t c, off_t d), (a, b, c, d))
CHANGE(ssize_t, pwrite, (int a, const void *b, size_t c, off_t d), (a, b, c, d))
CHANGE(ssize_t, pwrite64, (int a, const void *b, size_t c, off64_t d), (a, b, c, d))

ssize_t write(int file, const void *bytes, size_t size) {
  if (file > 2) count();
  return NEXT(write)(file, bytes, size);
}

ssize_t writev(int file, const struct iovec *parts, int number) {
  if (file > 2) count();
  return NEXT(writev)(file, parts, number);
}

// Counts a call that makes or empties a file, and reads the mode behind its flags.
#define COUNT_OPENING(flags)                               \
  mode_t mode = 0;                                         \
  if (flags & (O_CREAT | O_TMPFILE)) {                     \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    mode = va_arg(rest, mode_t);                           \
    va_end(rest);                                          \
  }                                                        \
  if (flags & (O_CREAT | O_TRUNC)) count();

#define OPEN(name)                                         \
  int name(const char *path, int flags, ...) {             \
    COUNT_OPENING(flags)                                   \
    return NEXT(name)(path, flags, mode);                  \
  }

OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                      \
  int name(int folder, const char *path, int flags, ...) { \
    COUNT_OPENING(flags)                                   \
    return NEXT(name)(folder, path, flags, mode);          \
  }

OPEN_AT(openat)
OPEN_AT(openat64)
