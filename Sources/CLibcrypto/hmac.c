#include "CLibcrypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

int clibcrypto_hmac_sha256(const uint8_t *secret, size_t secret_count, const uint8_t *message, size_t count,
                           uint8_t *digest) {
  if (secret_count > INT32_MAX) return -1;
  unsigned int length = 0;
  const uint8_t *result = HMAC(EVP_sha256(), secret, (int)secret_count, message, count, digest, &length);
  return result != NULL && length == 32 ? 1 : -1;
}

int clibcrypto_is_equal(const void *left, const void *right, size_t count) {
  return CRYPTO_memcmp(left, right, count) == 0;
}
