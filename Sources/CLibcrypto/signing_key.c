#include "CLibcrypto.h"
#include "curve.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { digest_size = 32, largest_scalar = 32 };

struct clibcrypto_signing_key {
  size_t size;
  EC_GROUP *group;
  BIGNUM *scalar;
  /// Only duplicated, never used itself.
  EVP_MAC_CTX *hmac;
};

static EVP_MAC_CTX *hmac_sha256(void) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *context = algorithm == NULL ? NULL : EVP_MAC_CTX_new(algorithm);
  EVP_MAC_free(algorithm);
  if (context != NULL && EVP_MAC_CTX_set_params(context, parameters) == 1) return context;
  EVP_MAC_CTX_free(context);
  return NULL;
}

static bool is_scalar(const EC_GROUP *group, const BIGNUM *number) {
  return !BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(group)) < 0;
}

static bool write_point(const clibcrypto_signing_key *key, uint8_t *bytes) {
  const size_t count = 1 + 2 * key->size;
  EC_POINT *point = EC_POINT_new(key->group);
  bool done = point != NULL && EC_POINT_mul(key->group, point, key->scalar, NULL, NULL, NULL) == 1 &&
              EC_POINT_point2oct(key->group, point, POINT_CONVERSION_UNCOMPRESSED, bytes, count, NULL) == count;
  EC_POINT_free(point);
  return done;
}

int clibcrypto_signing_key_new(clibcrypto_curve curve, const uint8_t *scalar, uint8_t *point,
                               clibcrypto_signing_key **key) {
  *key = NULL;
  int result = -1;
  clibcrypto_signing_key *made = calloc(1, sizeof *made);
  if (made != NULL) {
    made->size = curve;
    made->group = EC_GROUP_new_by_curve_name(clibcrypto_curve_nid(curve));
    made->scalar = BN_bin2bn(scalar, (int)made->size, NULL);
    made->hmac = hmac_sha256();
    if (made->group != NULL && made->scalar != NULL && made->hmac != NULL) {
      BN_set_flags(made->scalar, BN_FLG_CONSTTIME);
      result = is_scalar(made->group, made->scalar);
      if (result == 1 && !write_point(made, point)) result = -1;
    }
  }
  if (result == 1) {
    *key = made;
  } else {
    clibcrypto_signing_key_free(made);
    ERR_clear_error();
  }
  return result;
}

void clibcrypto_signing_key_free(clibcrypto_signing_key *key) {
  if (key == NULL) return;
  EC_GROUP_free(key->group);
  BN_clear_free(key->scalar);
  EVP_MAC_CTX_free(key->hmac);
  free(key);
}

/// K and V of RFC 6979, section 3.2.
typedef struct {
  EVP_MAC_CTX *hmac;
  uint8_t key[digest_size];
  uint8_t value[digest_size];
} nonces;

static bool hmac(nonces *nonces, const uint8_t *message, size_t count, uint8_t *code) {
  size_t written = 0;
  return EVP_MAC_init(nonces->hmac, nonces->key, digest_size, NULL) == 1 &&
         EVP_MAC_update(nonces->hmac, message, count) == 1 &&
         EVP_MAC_final(nonces->hmac, code, &written, digest_size) == 1 && written == digest_size;
}

/// K = HMAC_K(V || tag || seed), V = HMAC_K(V).
static bool nonces_stir(nonces *nonces, uint8_t tag, const uint8_t *seed, size_t count) {
  uint8_t message[digest_size + 1 + 2 * largest_scalar];
  memcpy(message, nonces->value, digest_size);
  message[digest_size] = tag;
  if (count > 0) memcpy(message + digest_size + 1, seed, count);
  bool done = hmac(nonces, message, digest_size + 1 + count, nonces->key) &&
              hmac(nonces, nonces->value, digest_size, nonces->value);
  OPENSSL_cleanse(message, sizeof message);
  return done;
}

/// Steps a to g, for the private scalar and the digest reduced below the order.
static bool nonces_begin(nonces *nonces, const clibcrypto_signing_key *key, const BIGNUM *reduced) {
  uint8_t seed[2 * largest_scalar];
  nonces->hmac = EVP_MAC_CTX_dup(key->hmac);
  memset(nonces->key, 0, digest_size);
  memset(nonces->value, 1, digest_size);
  bool done = nonces->hmac != NULL && BN_bn2binpad(key->scalar, seed, (int)key->size) >= 0 &&
              BN_bn2binpad(reduced, seed + key->size, (int)key->size) >= 0 &&
              nonces_stir(nonces, 0, seed, 2 * key->size) && nonces_stir(nonces, 1, seed, 2 * key->size);
  OPENSSL_cleanse(seed, sizeof seed);
  return done;
}

/// Step h: V = HMAC_K(V). Both orders are a whole number of bytes, so bits2int takes the first `size` bytes of V.
static bool nonces_next(nonces *nonces, size_t size, BIGNUM *nonce) {
  return hmac(nonces, nonces->value, digest_size, nonces->value) &&
         BN_bin2bn(nonces->value, (int)size, nonce) != NULL;
}

static void nonces_end(nonces *nonces) {
  EVP_MAC_CTX_free(nonces->hmac);
  OPENSSL_cleanse(nonces, sizeof *nonces);
}

/// The working numbers of one signature, borrowed from `context`.
typedef struct {
  BN_CTX *context;
  EC_POINT *point;
  BIGNUM *hash, *nonce, *r, *s;
} numbers;

/// r = (k G).x mod n, s = (hash + r d) / k mod n (SEC 1, section 4.1.3).
static bool compute(const clibcrypto_signing_key *key, const numbers *its) {
  const BIGNUM *order = EC_GROUP_get0_order(key->group);
  BN_CTX *context = its->context;
  return EC_POINT_mul(key->group, its->point, its->nonce, NULL, NULL, context) == 1 &&
         EC_POINT_get_affine_coordinates(key->group, its->point, its->r, NULL, context) == 1 &&
         BN_nnmod(its->r, its->r, order, context) == 1 &&
         BN_mod_mul(its->s, its->r, key->scalar, order, context) == 1 &&
         BN_mod_add(its->s, its->s, its->hash, order, context) == 1 &&
         BN_mod_inverse(its->nonce, its->nonce, order, context) != NULL &&
         BN_mod_mul(its->s, its->s, its->nonce, order, context) == 1;
}

/// Draws nonces until one gives a signature. The first one does in all but one of four billion cases.
static bool sign(const clibcrypto_signing_key *key, const numbers *its) {
  nonces nonces;
  bool found = false;
  bool going = nonces_begin(&nonces, key, its->hash);
  while (going && !found) {
    going = nonces_next(&nonces, key->size, its->nonce);
    if (going && is_scalar(key->group, its->nonce)) {
      going = compute(key, its);
      found = going && !BN_is_zero(its->r) && !BN_is_zero(its->s);
    }
    if (going && !found) going = nonces_stir(&nonces, 0, NULL, 0);
  }
  nonces_end(&nonces);
  return found;
}

int clibcrypto_sign(const clibcrypto_signing_key *key, const uint8_t *digest, uint8_t *signature) {
  bool done = false;
  numbers its = {.context = BN_CTX_new(), .point = EC_POINT_new(key->group)};
  if (its.context != NULL && its.point != NULL) {
    BN_CTX_start(its.context);
    its.hash = BN_CTX_get(its.context);
    its.nonce = BN_CTX_get(its.context);
    its.r = BN_CTX_get(its.context);
    its.s = BN_CTX_get(its.context);
    if (its.s != NULL) {
      BN_set_flags(its.nonce, BN_FLG_CONSTTIME);
      done = BN_bin2bn(digest, (int)key->size, its.hash) != NULL &&
             BN_nnmod(its.hash, its.hash, EC_GROUP_get0_order(key->group), its.context) == 1 && sign(key, &its) &&
             BN_bn2binpad(its.r, signature, (int)key->size) >= 0 &&
             BN_bn2binpad(its.s, signature + key->size, (int)key->size) >= 0;
    }
    BN_CTX_end(its.context);
  }
  EC_POINT_clear_free(its.point);
  BN_CTX_free(its.context);
  if (!done) ERR_clear_error();
  return done ? 1 : -1;
}

int clibcrypto_random(uint8_t *bytes, size_t count) {
  if (RAND_priv_bytes(bytes, (int)count) == 1) return 1;
  ERR_clear_error();
  return -1;
}
