// Tells ThreadSanitizer when a Mutex of Swift 6.3 is taken and given back for which there is contention. That is done by code of
// libswiftSynchronization, which ThreadSanitizer does not see, so that without this it takes all that is done inside for a
// race. To be preloaded; changes nothing in a process without ThreadSanitizer. Needs clang, for Swift's calling convention.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
// _MutexHandle of stdlib/public/Synchronization/Mutex/LinuxImpl.swift.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);

static SWIFT void (*next_lock)(uint32_t, SELF);
static SWIFT void (*next_unlock)(SELF);
static SWIFT bool (*next_try_lock)(SELF);

SWIFT void lock_slow(uint32_t thread, SELF) {
  if (!next_lock) next_lock = dlsym(RTLD_NEXT, LOCK);
  next_lock(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
  if (!next_unlock) next_unlock = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  next_unlock(self);
}

SWIFT bool try_lock_slow(SELF) {
  if (!next_try_lock) next_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
  bool is_taken = next_try_lock(self);
  if (is_taken && __tsan_acquire) __tsan_acquire(self);
  return is_taken;
}
