/// What the project uses of OpenSSL's libcrypto, with no OpenSSL type in sight.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A SHA-256 computation that can be run any number of times.
typedef struct clibcrypto_sha256 clibcrypto_sha256;

/// NULL when libcrypto failed.
clibcrypto_sha256 *_Nullable clibcrypto_sha256_new(void);
void clibcrypto_sha256_free(clibcrypto_sha256 *_Nullable hash);

/// Each: 1 done, -1 libcrypto failed.
int clibcrypto_sha256_begin(clibcrypto_sha256 *_Nonnull hash);
int clibcrypto_sha256_update(clibcrypto_sha256 *_Nonnull hash, const void *_Nullable bytes, size_t count);
/// Writes 32 bytes.
int clibcrypto_sha256_end(clibcrypto_sha256 *_Nonnull hash, uint8_t *_Nonnull digest);
