#define OPENSSL_SUPPRESS_DEPRECATED

#include "batch.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

/// The working numbers and points of a recovery.
typedef struct {
  const clibcrypto_generator *generator;
  BN_CTX *context;

  /// The x of each key.
  BIGNUM **keys;
  size_t key_count;

  /// The numbers of one signature; w is 1/r times R.
  BIGNUM *r, *s, *w, *u;

  BIGNUM *x, *zz, *product, *zero;

  /// A point whose x is r, and (s/r) times it; (e/r) G; a candidate for the key.
  EC_POINT *point, *multiple, *share, *key;
} numbers;

static bool numbers_begin(numbers *its, const uint8_t *keys) {
  BN_CTX_start(its->context);
  BIGNUM **all[] = {&its->r, &its->s, &its->w, &its->u, &its->x, &its->zz, &its->product, &its->zero};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++) *all[index] = BN_CTX_get(its->context);
  EC_POINT **points[] = {&its->point, &its->multiple, &its->share, &its->key};
  bool done = its->zero != NULL;
  for (size_t index = 0; done && index < sizeof points / sizeof *points; index++) {
    *points[index] = EC_POINT_new(its->generator->multiples.group);
    done = *points[index] != NULL;
  }
  its->keys = calloc(its->key_count, sizeof *its->keys);
  done = done && its->keys != NULL;
  const size_t size = (size_t)its->generator->curve;
  for (size_t index = 0; done && index < its->key_count; index++) {
    its->keys[index] = BN_bin2bn(keys + index * size, (int)size, NULL);
    done = its->keys[index] != NULL;
  }
  return done;
}

static void numbers_end(numbers *its) {
  for (size_t index = 0; its->keys != NULL && index < its->key_count; index++) BN_free(its->keys[index]);
  free(its->keys);
  EC_POINT_free(its->point);
  EC_POINT_free(its->multiple);
  EC_POINT_free(its->share);
  EC_POINT_free(its->key);
  BN_CTX_end(its->context);
}

/// Looks for the x of `key` among the keys. Returns 1 if it is found, 0 if not, -1 if libcrypto failed.
static int look_up(const numbers *its, uint32_t digest, clibcrypto_finding *finding) {
  const clibcrypto_generator *generator = its->generator;
  if (EC_POINT_is_at_infinity(generator->multiples.group, its->key)) return 0;
  if (!clibcrypto_compared_x(generator, its->key, its->x, its->zz, its->context)) return -1;
  for (uint32_t key = 0; key < its->key_count; key++) {
    if (BN_mod_mul_montgomery(its->product, its->zz, its->keys[key], generator->modulo_field, its->context) != 1) {
      return -1;
    }
    if (BN_cmp(its->product, its->x) != 0) continue;
    *finding = (clibcrypto_finding){.answer = clibcrypto_to_be_asked, .digest = digest, .key = key};
    return 1;
  }
  return 0;
}

/// Looks for the two keys for which the signature of a digest is valid, given `multiple`, (s/r) R. They are `multiple` and
/// its opposite, each minus (e/r) G. Returns 1 if one is found, 0 if not, -1 if libcrypto failed.
static int look_up_both(const numbers *its, const uint8_t *bytes, uint32_t digest, clibcrypto_finding *finding) {
  const clibcrypto_generator *generator = its->generator;
  const EC_GROUP *group = generator->multiples.group;
  if (!clibcrypto_read_digest(generator, bytes, its->u) ||
      BN_mod_mul_montgomery(its->u, its->u, its->w, generator->modulo_order, its->context) != 1 ||
      !clibcrypto_multiply(&generator->multiples, its->share, its->u, its->zero, its->context)) {
    return -1;
  }
  // The opposite of a point has the same x, so the share is added to the multiple and subtracted from it.
  for (int sign = 0; sign < 2; sign++) {
    if (EC_POINT_add(group, its->key, its->multiple, its->share, its->context) != 1) return -1;
    const int result = look_up(its, digest, finding);
    if (result != 0) return result;
    if (EC_POINT_invert(group, its->share, its->context) != 1) return -1;
  }
  return 0;
}

/// Looks for the keys of a signature whose r, s and w are set. Returns false if libcrypto failed.
static bool find(numbers *its, const uint8_t *digests, uint32_t digest_count, clibcrypto_finding *finding) {
  const clibcrypto_generator *generator = its->generator;
  const EC_GROUP *group = generator->multiples.group;
  // The x of R is r, or r + n if that is below p.
  for (; BN_cmp(its->r, generator->field) < 0; ) {
    const int is_point = clibcrypto_lift(generator, its->r, its->point, its->context);
    if (is_point < 0) return false;
    if (is_point == 1) {
      if (BN_mod_mul_montgomery(its->u, its->s, its->w, generator->modulo_order, its->context) != 1 ||
          EC_POINT_mul(group, its->multiple, NULL, its->point, its->u, its->context) != 1) {
        return false;
      }
      for (uint32_t digest = 0; digest < digest_count; digest++) {
        const int result = look_up_both(its, digests + digest * clibcrypto_digest_size, digest, finding);
        if (result != 0) return result == 1;
      }
    }
    if (BN_add(its->r, its->r, generator->order) != 1) return false;
  }
  return true;
}

/// Recovers the keys of at most `clibcrypto_largest_batch` signatures, whose findings are still empty.
static bool recover(clibcrypto_batch *batch, numbers *its, const clibcrypto_signatures *all, size_t start,
                    size_t count, clibcrypto_finding *findings) {
  const clibcrypto_generator *generator = its->generator;
  const size_t size = (size_t)generator->curve;
  const uint32_t *which = all->which + start;
  bool done = true;
  for (size_t index = 0; done && index < count; index++) {
    const uint8_t *bytes = all->signatures + 2 * which[index] * size;
    BIGNUM *r = batch->values[index];
    done = BN_bin2bn(bytes, (int)size, r) != NULL && BN_bin2bn(bytes + size, (int)size, its->s) != NULL;
    if (!clibcrypto_is_scalar(r, generator->order) || !clibcrypto_is_scalar(its->s, generator->order)) BN_zero(r);
  }
  done = done && clibcrypto_batch_invert(batch, generator, count);
  for (size_t index = count; done && index-- > 0;) {
    if (BN_is_zero(batch->values[index])) continue;
    const uint8_t *bytes = all->signatures + 2 * which[index] * size;
    const uint32_t first_digest = all->digest_starts[which[index]];
    done = clibcrypto_batch_take(batch, generator, index, its->w) &&
           BN_bin2bn(bytes, (int)size, its->r) != NULL && BN_bin2bn(bytes + size, (int)size, its->s) != NULL &&
           find(its, all->digests + first_digest * clibcrypto_digest_size,
                all->digest_starts[which[index] + 1] - first_digest, findings + start + index);
  }
  return done;
}

int clibcrypto_batch_recover(clibcrypto_batch *batch, const clibcrypto_generator *generator, const uint8_t *keys,
                             size_t key_count, const clibcrypto_signatures *signatures, clibcrypto_finding *findings) {
  const size_t count = signatures->count;
  memset(findings, 0, count * sizeof *findings);
  if (!generator->multiples.has_tables) return -1;
  numbers its = {.generator = generator, .context = batch->context, .key_count = key_count};
  bool done = numbers_begin(&its, keys);
  for (size_t start = 0; done && start < count; start += clibcrypto_largest_batch) {
    const size_t rest = count - start;
    done = recover(batch, &its, signatures, start, rest < clibcrypto_largest_batch ? rest : clibcrypto_largest_batch,
                   findings);
  }
  numbers_end(&its);
  ERR_clear_error();
  return done ? 1 : -1;
}
