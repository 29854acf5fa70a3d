#include "fixed_base.h"

#include "curve.h"
#include "public_key.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

enum { digest_size = 32, largest_signature = 64, sample_count = 4 };

/// Makes a valid signature of some digest without the private key: u1 and u2 are chosen, r is the x of u1 G + u2 Q, and s
/// and the digest follow from u1 = e / s and u2 = r / s.
static bool forge(const clibcrypto_generator *generator, const EC_POINT *point, const BIGNUM *u1, const BIGNUM *u2,
                  uint8_t *digest, uint8_t *signature, BN_CTX *context) {
  const EC_GROUP *group = generator->multiples.group;
  const BIGNUM *order = generator->order;
  const int size = (int)generator->curve;
  bool done = false;
  BN_CTX_start(context);
  BIGNUM *r = BN_CTX_get(context);
  BIGNUM *s = BN_CTX_get(context);
  BIGNUM *e = BN_CTX_get(context);
  EC_POINT *sum = EC_POINT_new(group);
  EC_POINT *summand = EC_POINT_new(group);
  if (e != NULL && sum != NULL && summand != NULL) {
    done = EC_POINT_mul(group, sum, NULL, EC_GROUP_get0_generator(group), u1, context) == 1 &&
           EC_POINT_mul(group, summand, NULL, point, u2, context) == 1 &&
           EC_POINT_add(group, sum, sum, summand, context) == 1 &&
           EC_POINT_get_affine_coordinates(group, sum, r, NULL, context) == 1 &&
           BN_nnmod(r, r, order, context) == 1 && BN_mod_inverse(s, u2, order, context) != NULL &&
           BN_mod_mul(s, s, r, order, context) == 1 && BN_mod_mul(e, s, u1, order, context) == 1 &&
           BN_bn2binpad(e, digest, size) >= 0 && BN_bn2binpad(r, signature, size) >= 0 &&
           BN_bn2binpad(s, signature + size, size) >= 0;
  }
  EC_POINT_free(sum);
  EC_POINT_free(summand);
  BN_CTX_end(context);
  return done;
}

/// Returns true if valid signatures that were made without the tables verify with them, and the same signatures of other
/// digests do not.
static bool is_right(const clibcrypto_fixed_base *base, const clibcrypto_generator *generator, const EC_POINT *point,
                     BN_CTX *context) {
  uint8_t digests[2 * sample_count * digest_size] = {0};
  uint8_t signatures[2 * sample_count * largest_signature];
  uint32_t starts[2 * sample_count + 1];
  uint32_t which[2 * sample_count];
  clibcrypto_finding findings[2 * sample_count];
  const size_t size = 2 * generator->curve;
  BIGNUM *u1 = BN_CTX_get(context);
  BIGNUM *u2 = BN_CTX_get(context);
  bool done = u2 != NULL && BN_rshift1(u2, generator->order) == 1;
  for (uint32_t index = 0; done && index < 2 * sample_count; index += 2) {
    uint8_t *digest = digests + index * digest_size;
    uint8_t *signature = signatures + index * size;
    // Each number is the square of the last one plus 2. Any other sequence would do.
    done = BN_copy(u1, u2) != NULL && BN_mod_sqr(u2, u2, generator->order, context) == 1 &&
           BN_add_word(u2, 2) == 1 && BN_nnmod(u2, u2, generator->order, context) == 1 &&
           forge(generator, point, u1, u2, digest, signature, context);
    memcpy(digest + digest_size, digest, digest_size);
    memcpy(signature + size, signature, size);
    digest[digest_size + index] ^= 1;
  }
  for (uint32_t index = 0; index < 2 * sample_count; index++) which[index] = starts[index] = index;
  starts[2 * sample_count] = 2 * sample_count;
  const clibcrypto_signatures samples = {
      .signatures = signatures, .digests = digests, .digest_starts = starts, .which = which, .count = 2 * sample_count};
  clibcrypto_batch *batch = done ? clibcrypto_batch_new() : NULL;
  done = batch != NULL && clibcrypto_batch_verify(batch, generator, &base, 1, &samples, findings) == 1;
  for (size_t index = 0; done && index < 2 * sample_count; index++) {
    done = findings[index].answer == (index % 2 == 0 ? clibcrypto_signed : clibcrypto_not_signed);
  }
  clibcrypto_batch_free(batch);
  return done;
}

clibcrypto_fixed_base *clibcrypto_fixed_base_new(const clibcrypto_public_key *key,
                                                 const clibcrypto_generator *generator) {
  if (!generator->multiples.has_tables || key->curve != generator->curve) return NULL;
  bool done = false;
  clibcrypto_fixed_base *base = calloc(1, sizeof *base);
  BN_CTX *context = BN_CTX_new();
  EC_POINT *point = EC_POINT_new(generator->multiples.group);
  if (base != NULL && context != NULL && point != NULL) {
    BN_CTX_start(context);
    done = clibcrypto_get_point(key, generator->multiples.group, point, context) &&
           clibcrypto_multiples_make(&base->multiples, key->curve, point, context) && base->multiples.has_tables &&
           is_right(base, generator, point, context);
    BN_CTX_end(context);
  }
  EC_POINT_free(point);
  BN_CTX_free(context);
  ERR_clear_error();
  if (done) return base;
  clibcrypto_fixed_base_free(base);
  return NULL;
}

void clibcrypto_fixed_base_free(clibcrypto_fixed_base *base) {
  if (base == NULL) return;
  clibcrypto_multiples_clear(&base->multiples);
  free(base);
}
