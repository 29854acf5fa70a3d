#define OPENSSL_SUPPRESS_DEPRECATED

#include "fixed_base.h"

#include "curve.h"
#include "public_key.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

enum { digest_size = 32, largest_signature = 64, forgeries = 8 };

static bool are_tables_offered(void) {
  return EC_GROUP_precompute_mult != NULL && EC_GROUP_have_precompute_mult != NULL &&
         EC_POINT_get_Jprojective_coordinates_GFp != NULL;
}

static bool build_table(EC_GROUP *group, BN_CTX *context) {
  return EC_GROUP_precompute_mult(group, context) == 1 && EC_GROUP_have_precompute_mult(group) == 1;
}

/// `plain` is the curve without tables of ours, `point` the key's.
static bool build(clibcrypto_fixed_base *base, const EC_GROUP *plain, const EC_POINT *point, BN_CTX *context) {
  BIGNUM *field = BN_CTX_get(context);
  base->standard = EC_GROUP_dup(plain);
  base->key = EC_GROUP_dup(plain);
  base->modulo_order = BN_MONT_CTX_new();
  base->modulo_field = BN_MONT_CTX_new();
  if (field == NULL || base->standard == NULL || base->key == NULL || base->modulo_order == NULL ||
      base->modulo_field == NULL) {
    return false;
  }
  base->order = EC_GROUP_get0_order(base->standard);
  // Only the arithmetic that always takes a table for G comes with one.
  base->multiplies_alone = EC_GROUP_have_precompute_mult(plain) == 1;
  return EC_GROUP_get_curve(plain, field, NULL, NULL, context) == 1 &&
         BN_MONT_CTX_set(base->modulo_order, base->order, context) == 1 &&
         BN_MONT_CTX_set(base->modulo_field, field, context) == 1 &&
         EC_GROUP_set_generator(base->key, point, base->order, BN_value_one()) == 1 &&
         build_table(base->standard, context) && build_table(base->key, context);
}

/// Makes a valid signature of some digest without the private key: u1 and u2 are chosen, r is the x of u1 G + u2 Q, and
/// from u1 = e / s and u2 = r / s follow s and the digest.
static bool forge(const clibcrypto_fixed_base *base, const EC_GROUP *plain, const EC_POINT *point, const BIGNUM *u1,
                  const BIGNUM *u2, uint8_t *digest, uint8_t *signature, BN_CTX *context) {
  bool done = false;
  BN_CTX_start(context);
  BIGNUM *r = BN_CTX_get(context);
  BIGNUM *s = BN_CTX_get(context);
  BIGNUM *e = BN_CTX_get(context);
  EC_POINT *sum = EC_POINT_new(plain);
  if (e != NULL && sum != NULL) {
    done = EC_POINT_mul(plain, sum, u1, point, u2, context) == 1 &&
           EC_POINT_get_affine_coordinates(plain, sum, r, NULL, context) == 1 &&
           BN_nnmod(r, r, base->order, context) == 1 && BN_mod_inverse(s, u2, base->order, context) != NULL &&
           BN_mod_mul(s, s, r, base->order, context) == 1 && BN_mod_mul(e, s, u1, base->order, context) == 1 &&
           BN_bn2binpad(e, digest, (int)base->curve) >= 0 && BN_bn2binpad(r, signature, (int)base->curve) >= 0 &&
           BN_bn2binpad(s, signature + base->curve, (int)base->curve) >= 0;
  }
  EC_POINT_free(sum);
  BN_CTX_end(context);
  return done;
}

/// scalar = scalar² + 2: as good as any for a test.
static bool step(BIGNUM *scalar, const BIGNUM *order, BN_CTX *context) {
  return BN_mod_sqr(scalar, scalar, order, context) == 1 && BN_add_word(scalar, 2) == 1 &&
         BN_nnmod(scalar, scalar, order, context) == 1;
}

/// Whether valid signatures made without the tables verify with them, and the same signatures of other digests do not.
static bool is_right(const clibcrypto_fixed_base *base, const EC_GROUP *plain, const EC_POINT *point,
                     BN_CTX *context) {
  uint8_t digests[2 * forgeries * digest_size] = {0};
  uint8_t signatures[2 * forgeries * largest_signature];
  uint8_t shown[2 * forgeries];
  const size_t size = 2 * base->curve;
  BIGNUM *u1 = BN_CTX_get(context);
  BIGNUM *u2 = BN_CTX_get(context);
  bool done = u2 != NULL && BN_rshift1(u2, base->order) == 1;
  for (size_t index = 0; done && index < 2 * forgeries; index += 2) {
    uint8_t *digest = digests + index * digest_size;
    uint8_t *signature = signatures + index * size;
    done = BN_copy(u1, u2) != NULL && step(u2, base->order, context) &&
           forge(base, plain, point, u1, u2, digest, signature, context);
    memcpy(digest + digest_size, digest, digest_size);
    memcpy(signature + size, signature, size);
    digest[digest_size + index] ^= 1;
  }
  clibcrypto_batch *batch = done ? clibcrypto_batch_new() : NULL;
  done = batch != NULL && clibcrypto_batch_verify(batch, base, digests, signatures, 2 * forgeries, shown) == 1;
  for (size_t index = 0; done && index < 2 * forgeries; index++) done = shown[index] == (index % 2 == 0);
  clibcrypto_batch_free(batch);
  return done;
}

clibcrypto_fixed_base *clibcrypto_fixed_base_new(const clibcrypto_public_key *key) {
  if (!are_tables_offered()) return NULL;
  bool done = false;
  clibcrypto_fixed_base *base = calloc(1, sizeof *base);
  BN_CTX *context = BN_CTX_new();
  EC_GROUP *plain = EC_GROUP_new_by_curve_name(clibcrypto_curve_nid(key->curve));
  EC_POINT *point = plain == NULL ? NULL : EC_POINT_new(plain);
  if (base != NULL && context != NULL && point != NULL) {
    base->curve = key->curve;
    BN_CTX_start(context);
    done = clibcrypto_get_point(key, plain, point, context) && build(base, plain, point, context) &&
           is_right(base, plain, point, context);
    BN_CTX_end(context);
  }
  EC_POINT_free(point);
  EC_GROUP_free(plain);
  BN_CTX_free(context);
  if (done) return base;
  clibcrypto_fixed_base_free(base);
  ERR_clear_error();
  return NULL;
}

void clibcrypto_fixed_base_free(clibcrypto_fixed_base *base) {
  if (base == NULL) return;
  BN_MONT_CTX_free(base->modulo_field);
  BN_MONT_CTX_free(base->modulo_order);
  EC_GROUP_free(base->key);
  EC_GROUP_free(base->standard);
  free(base);
}
