// What glibc has and declares for _GNU_SOURCE only, which Swift's Glibc does not define.
#include <sys/types.h>

/// Begins, with CLINUX_SYNC_FILE_RANGE_WRITE, to write a range of a file to the disk: sync_file_range(2).
/// 0, or -1 with errno set. Makes nothing durable.
int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);

enum { CLINUX_SYNC_FILE_RANGE_WRITE = 2 };
