/// A disk that goes wrong, to be loaded before libc (LD_PRELOAD). The file that POSTBACK_DISK_FAULT names says how, and is
/// read at each call of fsync and fdatasync: an effect and a path. Calls for files at the path or below it fail with EIO
/// (`fail PATH`), wait until the file says something else (`hang PATH`), or take a second longer (`slow PATH`). With
/// `unread PATH` reading fails instead.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Reads the effect for a descriptor; 0 if there is none, otherwise its first letter.
static char effect_on(int descriptor) {
  const char *control = getenv("POSTBACK_DISK_FAULT");
  if (control == NULL) return 0;
  char text[4096], path[4096], name[64];
  const int file = open(control, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  text[strcspn(text, "\n")] = 0;
  const char *space = strchr(text, ' ');
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(name, path, sizeof path - 1);
  if (space == NULL || length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, space + 1, strlen(space + 1)) == 0 ? text[0] : 0;
}

static int synchronize(const char *name, int descriptor) {
  if (effect_on(descriptor) == 's') sleep(1);
  while (effect_on(descriptor) == 'h') usleep(20000);
  if (effect_on(descriptor) == 'f') {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(descriptor);
}

int fsync(int descriptor) { return synchronize("fsync", descriptor); }

int fdatasync(int descriptor) { return synchronize("fdatasync", descriptor); }

ssize_t read(int descriptor, void *bytes, size_t count) {
  static ssize_t (*real)(int, void *, size_t);
  if (real == NULL) real = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  // The check reads too.
  static __thread int is_checking;
  if (is_checking == 0) {
    is_checking = 1;
    const char effect = effect_on(descriptor);
    is_checking = 0;
    if (effect == 'u') {
      errno = EIO;
      return -1;
    }
  }
  return real(descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  static ssize_t (*real)(int, void *, size_t, off_t);
  if (real == NULL) real = (ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  if (effect_on(descriptor) == 'u') {
    errno = EIO;
    return -1;
  }
  return real(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
  return pread(descriptor, bytes, count, offset);
}
