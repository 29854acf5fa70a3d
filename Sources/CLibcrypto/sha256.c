#include "CLibcrypto.h"

#include <openssl/evp.h>
#include <stdlib.h>

struct clibcrypto_sha256 {
  EVP_MD *algorithm;
  EVP_MD_CTX *context;
};

clibcrypto_sha256 *clibcrypto_sha256_new(void) {
  clibcrypto_sha256 *hash = calloc(1, sizeof *hash);
  if (hash == NULL) return NULL;
  hash->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
  hash->context = EVP_MD_CTX_new();
  if (hash->algorithm == NULL || hash->context == NULL) {
    clibcrypto_sha256_free(hash);
    return NULL;
  }
  return hash;
}

void clibcrypto_sha256_free(clibcrypto_sha256 *hash) {
  if (hash == NULL) return;
  EVP_MD_CTX_free(hash->context);
  EVP_MD_free(hash->algorithm);
  free(hash);
}

int clibcrypto_sha256_begin(clibcrypto_sha256 *hash) {
  return EVP_DigestInit_ex2(hash->context, hash->algorithm, NULL) == 1 ? 1 : -1;
}

int clibcrypto_sha256_update(clibcrypto_sha256 *hash, const void *bytes, size_t count) {
  return EVP_DigestUpdate(hash->context, bytes, count) == 1 ? 1 : -1;
}

int clibcrypto_sha256_end(clibcrypto_sha256 *hash, uint8_t *digest) {
  return EVP_DigestFinal_ex(hash->context, digest, NULL) == 1 ? 1 : -1;
}

int clibcrypto_sha256_peek(const clibcrypto_sha256 *hash, uint8_t *digest) {
  EVP_MD_CTX *copy = EVP_MD_CTX_new();
  const int done = copy != NULL && EVP_MD_CTX_copy_ex(copy, hash->context) == 1 &&
                   EVP_DigestFinal_ex(copy, digest, NULL) == 1;
  EVP_MD_CTX_free(copy);
  return done ? 1 : -1;
}
