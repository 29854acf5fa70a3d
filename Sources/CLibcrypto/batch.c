#define OPENSSL_SUPPRESS_DEPRECATED

#include "batch.h"

#include "fixed_base.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

clibcrypto_batch *clibcrypto_batch_new(void) {
  clibcrypto_batch *batch = calloc(1, sizeof *batch);
  bool done =
      batch != NULL && (batch->context = BN_CTX_new()) != NULL && (batch->inverse = BN_new()) != NULL;
  for (size_t index = 0; done && index < clibcrypto_largest_batch; index++) {
    batch->values[index] = BN_new();
    batch->products[index] = BN_new();
    done = batch->values[index] != NULL && batch->products[index] != NULL;
  }
  if (done) return batch;
  clibcrypto_batch_free(batch);
  ERR_clear_error();
  return NULL;
}

void clibcrypto_batch_free(clibcrypto_batch *batch) {
  if (batch == NULL) return;
  for (size_t index = 0; index < clibcrypto_largest_batch; index++) {
    BN_free(batch->values[index]);
    BN_free(batch->products[index]);
  }
  BN_free(batch->inverse);
  BN_CTX_free(batch->context);
  free(batch);
}

bool clibcrypto_batch_invert(clibcrypto_batch *batch, const clibcrypto_generator *generator, size_t count) {
  BN_MONT_CTX *modulo = generator->modulo_order;
  BIGNUM *product = batch->inverse;
  bool done = BN_to_montgomery(product, BN_value_one(), modulo, batch->context) == 1;
  for (size_t index = 0; done && index < count; index++) {
    BIGNUM *value = batch->values[index];
    if (BN_is_zero(value)) continue;
    done = BN_copy(batch->products[index], product) != NULL &&
           BN_mod_mul_montgomery(product, product, value, modulo, batch->context) == 1;
  }
  return done && BN_mod_inverse(product, product, generator->order, batch->context) != NULL &&
         BN_to_montgomery(product, product, modulo, batch->context) == 1;
}

bool clibcrypto_batch_take(clibcrypto_batch *batch, const clibcrypto_generator *generator, size_t index,
                           BIGNUM *inverse) {
  BN_MONT_CTX *modulo = generator->modulo_order;
  BIGNUM *rest = batch->inverse;
  return BN_mod_mul_montgomery(inverse, rest, batch->products[index], modulo, batch->context) == 1 &&
         BN_mod_mul_montgomery(rest, rest, batch->values[index], modulo, batch->context) == 1;
}

bool clibcrypto_compared_x(const clibcrypto_generator *generator, const EC_POINT *point, BIGNUM *x, BIGNUM *zz,
                           BN_CTX *context) {
  // In Jacobian coordinates x = X / Z², so x Z² = X is tested without an inversion. As every product is divided by R, zz
  // becomes Z² R.
  BN_MONT_CTX *modulo = generator->modulo_field;
  return EC_POINT_get_Jprojective_coordinates_GFp(generator->multiples.group, point, x, NULL, zz, context) == 1 &&
         BN_mod_mul_montgomery(zz, zz, zz, modulo, context) == 1 &&
         BN_mod_mul_montgomery(zz, zz, generator->cubed_factor, modulo, context) == 1;
}

/// The working numbers of a batch, borrowed from its context, and its working points.
typedef struct {
  const clibcrypto_generator *generator;
  const clibcrypto_fixed_base *const *bases;
  size_t base_count;
  BN_CTX *context;

  /// The numbers of one signature: w = 1/s times R, u1 = e w, u2 = r w.
  BIGNUM *r, *w, *u1, *u2;

  /// The coordinates of u1 G + u2 Q; see `clibcrypto_compared_x`.
  BIGNUM *x, *zz, *product;

  BIGNUM *zero;

  /// u1 G, u2 Q for each base, and their sum.
  EC_POINT *first, *second[clibcrypto_most_bases], *sum;

  /// The number of points in `second` that belong to the current signature.
  size_t second_count;
} numbers;

static bool numbers_begin(numbers *its) {
  BN_CTX_start(its->context);
  BIGNUM **all[] = {&its->r, &its->w, &its->u1, &its->u2, &its->x, &its->zz, &its->product, &its->zero};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++) *all[index] = BN_CTX_get(its->context);
  const EC_GROUP *group = its->generator->multiples.group;
  its->first = EC_POINT_new(group);
  its->sum = EC_POINT_new(group);
  bool done = its->zero != NULL && its->first != NULL && its->sum != NULL;
  for (size_t base = 0; done && base < its->base_count; base++) {
    its->second[base] = EC_POINT_new(group);
    done = its->second[base] != NULL;
  }
  return done;
}

static void numbers_end(numbers *its) {
  EC_POINT_free(its->first);
  EC_POINT_free(its->sum);
  for (size_t base = 0; base < its->base_count; base++) EC_POINT_free(its->second[base]);
  BN_CTX_end(its->context);
}

/// Returns the answer for `sum`: signed if its x is r, to be asked if it is r + n, else not signed. -1 if libcrypto failed.
static int answer(const numbers *its) {
  const clibcrypto_generator *generator = its->generator;
  if (EC_POINT_is_at_infinity(generator->multiples.group, its->sum)) return clibcrypto_not_signed;
  if (!clibcrypto_compared_x(generator, its->sum, its->x, its->zz, its->context) ||
      BN_mod_mul_montgomery(its->product, its->zz, its->r, generator->modulo_field, its->context) != 1) {
    return -1;
  }
  if (BN_cmp(its->product, its->x) == 0) return clibcrypto_signed;
  if (BN_cmp(its->r, generator->field_beyond_order) >= 0) return clibcrypto_not_signed;
  // An x above n does not occur by chance. ECDSA reduces it modulo n, so ECDSA must decide.
  if (BN_add(its->product, its->r, generator->order) != 1 ||
      BN_mod_mul_montgomery(its->product, its->zz, its->product, generator->modulo_field, its->context) != 1) {
    return -1;
  }
  return BN_cmp(its->product, its->x) == 0 ? clibcrypto_to_be_asked : clibcrypto_not_signed;
}

/// Sets `sum` to u1 G + u2 Q of a base. `second` is kept for the other digests of the signature. Returns false if
/// libcrypto failed.
static bool add(numbers *its, size_t base) {
  if (base == its->second_count) {
    if (!clibcrypto_multiply(&its->bases[base]->multiples, its->second[base], its->u2, its->zero, its->context)) {
      return false;
    }
    its->second_count++;
  }
  const EC_GROUP *group = its->generator->multiples.group;
  return EC_POINT_add(group, its->sum, its->first, its->second[base], its->context) == 1;
}

/// Finds the first digest and base for which the signature is valid (SEC 1, section 4.1.4); r, w and u2 are set already.
/// Returns false if libcrypto failed.
static bool find(numbers *its, const uint8_t *digests, uint32_t digest_count, clibcrypto_finding *finding) {
  const clibcrypto_generator *generator = its->generator;
  its->second_count = 0;
  for (uint32_t digest = 0; digest < digest_count; digest++) {
    if (!clibcrypto_read_digest(generator, digests + digest * clibcrypto_digest_size, its->u1) ||
        BN_mod_mul_montgomery(its->u1, its->u1, its->w, generator->modulo_order, its->context) != 1 ||
        !clibcrypto_multiply(&generator->multiples, its->first, its->u1, its->zero, its->context)) {
      return false;
    }
    for (uint32_t base = 0; base < its->base_count; base++) {
      const int result = add(its, base) ? answer(its) : -1;
      if (result < 0) return false;
      if (result == clibcrypto_not_signed) continue;
      *finding = (clibcrypto_finding){.answer = (clibcrypto_answer)result, .digest = digest, .key = base};
      return true;
    }
  }
  return true;
}

/// Verifies at most `clibcrypto_largest_batch` signatures, whose findings are still empty.
static bool verify(clibcrypto_batch *batch, numbers *its, const clibcrypto_signatures *all, size_t start, size_t count,
                   clibcrypto_finding *findings) {
  const clibcrypto_generator *generator = its->generator;
  const size_t size = (size_t)generator->curve;
  const uint32_t *which = all->which + start;
  bool done = true;
  for (size_t index = 0; done && index < count; index++) {
    const uint8_t *r = all->signatures + 2 * which[index] * size;
    BIGNUM *s = batch->values[index];
    done = BN_bin2bn(r, (int)size, its->r) != NULL && BN_bin2bn(r + size, (int)size, s) != NULL;
    if (!clibcrypto_is_scalar(its->r, generator->order) || !clibcrypto_is_scalar(s, generator->order)) BN_zero(s);
  }
  done = done && clibcrypto_batch_invert(batch, generator, count);
  for (size_t index = count; done && index-- > 0;) {
    if (BN_is_zero(batch->values[index])) continue;
    const uint32_t first_digest = all->digest_starts[which[index]];
    done = clibcrypto_batch_take(batch, generator, index, its->w) &&
           BN_bin2bn(all->signatures + 2 * which[index] * size, (int)size, its->r) != NULL &&
           BN_mod_mul_montgomery(its->u2, its->r, its->w, generator->modulo_order, its->context) == 1 &&
           find(its, all->digests + first_digest * clibcrypto_digest_size,
                all->digest_starts[which[index] + 1] - first_digest, findings + start + index);
  }
  return done;
}

int clibcrypto_batch_verify(clibcrypto_batch *batch, const clibcrypto_generator *generator,
                            const clibcrypto_fixed_base *const *bases, size_t base_count,
                            const clibcrypto_signatures *signatures, clibcrypto_finding *findings) {
  const size_t count = signatures->count;
  memset(findings, 0, count * sizeof *findings);
  if (base_count > clibcrypto_most_bases) return -1;
  numbers its = {.generator = generator, .bases = bases, .base_count = base_count, .context = batch->context};
  bool done = numbers_begin(&its);
  for (size_t start = 0; done && start < count; start += clibcrypto_largest_batch) {
    const size_t rest = count - start;
    done = verify(batch, &its, signatures, start, rest < clibcrypto_largest_batch ? rest : clibcrypto_largest_batch,
                  findings);
  }
  numbers_end(&its);
  if (done) return 1;
  ERR_clear_error();
  return -1;
}
