// What glibc has and declares for _GNU_SOURCE only, which Swift's Glibc does not define.
#include <sys/types.h>
#include <sys/vfs.h>

/// Begins, with CLINUX_SYNC_FILE_RANGE_WRITE, to write a range of a file to the disk: sync_file_range(2).
/// 0, or -1 with errno set. Makes nothing durable.
int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);

enum { CLINUX_SYNC_FILE_RANGE_WRITE = 2 };

/// Renames where nothing has the new name yet, with CLINUX_RENAME_NOREPLACE: renameat2(2).
/// 0, or -1 with errno set: EEXIST where the name is taken, EINVAL where the file system does not know the flag.
int renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned int flags);

enum { CLINUX_RENAME_NOREPLACE = 1 };

/// Makes a pipe, reading end first, with O_NONBLOCK, O_CLOEXEC or both: pipe2(2). 0, or -1 with errno set.
int pipe2(int *ends, int flags);
