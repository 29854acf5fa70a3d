// Functions that glibc declares only for _GNU_SOURCE, which Swift's Glibc does not define, and extended attributes.
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

/// Starts to write a range of a file to the disk, with CLINUX_SYNC_FILE_RANGE_WRITE: sync_file_range(2). Makes nothing
/// durable. Returns 0, or -1 with errno set.
int sync_file_range(int descriptor, __off64_t offset, __off64_t count, unsigned int flags);

enum { CLINUX_SYNC_FILE_RANGE_WRITE = 2 };

/// Gives the disk space of a range of a file back, with CLINUX_FALLOC_PUNCH_HOLE: fallocate(2). The file keeps its length, and
/// the range reads as zeros. Returns 0, or -1 with errno set: EOPNOTSUPP if the file system cannot do it.
int fallocate(int descriptor, int mode, __off64_t offset, __off64_t count);

enum { CLINUX_FALLOC_PUNCH_HOLE = 3 };

/// Renames a file without replacing another one, with CLINUX_RENAME_NOREPLACE, or exchanges two names in one step, with
/// CLINUX_RENAME_EXCHANGE: renameat2(2). Returns 0, or -1 with errno set: EEXIST if the new name is taken, ENOENT if one of
/// the names to exchange is missing, EINVAL if the file system does not support the flag.
int renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned int flags);

enum { CLINUX_RENAME_NOREPLACE = 1, CLINUX_RENAME_EXCHANGE = 2 };

/// Makes a pipe, with the read end first in `ends`, and O_NONBLOCK, O_CLOEXEC or both: pipe2(2). Returns 0, or -1 with errno
/// set.
int pipe2(int *ends, int flags);
