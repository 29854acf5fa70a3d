#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Many tests start processes. Without a width, Swift Testing starts all tests at once, and they have more files open than a shell
// allows. The tests of all modules are one program, so this is done once, before it begins.
__attribute__((constructor)) static void limit_tests_at_once(void) {
  long width = 4 * sysconf(_SC_NPROCESSORS_ONLN);
  char text[24];
  snprintf(text, sizeof text, "%ld", width < 32 ? width : 32);
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", text, 0);
}
