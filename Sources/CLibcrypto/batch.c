#define OPENSSL_SUPPRESS_DEPRECATED

#include "fixed_base.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

/// An inversion costs as much as half a verification; shared by 128 it is not seen.
enum { digest_size = 32, largest_batch = 128 };

struct clibcrypto_batch {
  BN_CTX *context;

  /// Each s, times the Montgomery factor R; 0 where it is out of range.
  BIGNUM *s[largest_batch];

  /// The product of all s before it that are in range, times R.
  BIGNUM *product[largest_batch];
};

clibcrypto_batch *clibcrypto_batch_new(void) {
  clibcrypto_batch *batch = calloc(1, sizeof *batch);
  bool done = batch != NULL && (batch->context = BN_CTX_new()) != NULL;
  for (size_t index = 0; done && index < largest_batch; index++) {
    batch->s[index] = BN_new();
    batch->product[index] = BN_new();
    done = batch->s[index] != NULL && batch->product[index] != NULL;
  }
  if (done) return batch;
  clibcrypto_batch_free(batch);
  ERR_clear_error();
  return NULL;
}

void clibcrypto_batch_free(clibcrypto_batch *batch) {
  if (batch == NULL) return;
  for (size_t index = 0; index < largest_batch; index++) {
    BN_free(batch->s[index]);
    BN_free(batch->product[index]);
  }
  BN_CTX_free(batch->context);
  free(batch);
}

/// The numbers and points of a batch, borrowed from its context or made for it.
typedef struct {
  const clibcrypto_fixed_base *base;
  BN_CTX *context;

  /// The inverse of the product of every s that is in range and was not yet looked at, times R.
  BIGNUM *inverse;

  /// Those of one signature: w = 1/s times R, u1 = e w, u2 = r w.
  BIGNUM *r, *e, *w, *u1, *u2;

  /// Those of u1 G + u2 Q.
  BIGNUM *x, *z;

  BIGNUM *zero;
  EC_POINT *sum, *summand;
} numbers;

static bool numbers_begin(numbers *its, const clibcrypto_fixed_base *base, BN_CTX *context) {
  *its = (numbers){.base = base, .context = context};
  BN_CTX_start(context);
  BIGNUM **all[] = {&its->inverse, &its->r, &its->e, &its->w, &its->u1, &its->u2, &its->x, &its->z, &its->zero};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++) *all[index] = BN_CTX_get(context);
  its->sum = EC_POINT_new(base->standard);
  its->summand = EC_POINT_new(base->key);
  return its->zero != NULL && its->sum != NULL && its->summand != NULL;
}

static void numbers_end(numbers *its) {
  EC_POINT_free(its->sum);
  EC_POINT_free(its->summand);
  BN_CTX_end(its->context);
}

/// Reads every s and sets `inverse`: one inversion for the batch, after Montgomery. An s that is out of range has no
/// part in it.
static bool invert(clibcrypto_batch *batch, const numbers *its, const uint8_t *signatures, size_t count) {
  const clibcrypto_fixed_base *base = its->base;
  BIGNUM *product = its->inverse;
  bool done = BN_to_montgomery(product, BN_value_one(), base->modulo_order, its->context) == 1;
  for (size_t index = 0; done && index < count; index++) {
    BIGNUM *s = batch->s[index];
    done = BN_bin2bn(signatures + (2 * index + 1) * base->curve, (int)base->curve, s) != NULL;
    if (done && clibcrypto_is_scalar(s, base->order)) {
      done = BN_copy(batch->product[index], product) != NULL &&
             BN_to_montgomery(s, s, base->modulo_order, its->context) == 1 &&
             BN_mod_mul_montgomery(product, product, s, base->modulo_order, its->context) == 1;
    } else {
      BN_zero(s);
    }
  }
  return done && BN_from_montgomery(product, product, base->modulo_order, its->context) == 1 &&
         BN_mod_inverse(product, product, base->order, its->context) != NULL &&
         BN_to_montgomery(product, product, base->modulo_order, its->context) == 1;
}

/// Sets `w`, and takes the signature's s out of `inverse`.
static bool take_inverse(const clibcrypto_batch *batch, size_t index, const numbers *its) {
  BN_MONT_CTX *modulo = its->base->modulo_order;
  return BN_mod_mul_montgomery(its->w, its->inverse, batch->product[index], modulo, its->context) == 1 &&
         BN_mod_mul_montgomery(its->inverse, its->inverse, batch->s[index], modulo, its->context) == 1;
}

/// `scalar` times the group's generator. libcrypto's additions are complete here as long as the scalar is below n.
static bool multiply(const numbers *its, const EC_GROUP *group, EC_POINT *product, const BIGNUM *scalar) {
  // Alone, most curves take the slow way that keeps the scalar secret. Add nothing, and they take the tables.
  bool alone = its->base->multiplies_alone;
  return EC_POINT_mul(group, product, scalar, alone ? NULL : EC_GROUP_get0_generator(group),
                      alone ? NULL : its->zero, its->context) == 1;
}

/// 1 where r is the x of u1 G + u2 Q, which is finite; 0 where it is not, or is x - n; -1 libcrypto failed.
static int is_x_of_sum(const numbers *its) {
  const EC_GROUP *group = its->base->standard;
  BN_MONT_CTX *modulo = its->base->modulo_field;
  BN_CTX *context = its->context;
  if (!multiply(its, group, its->sum, its->u1) || !multiply(its, its->base->key, its->summand, its->u2) ||
      EC_POINT_add(group, its->sum, its->sum, its->summand, context) != 1) {
    return -1;
  }
  if (EC_POINT_is_at_infinity(group, its->sum)) return 0;

  // In Jacobian coordinates x = X / Z², so r Z² = X says it without an inversion. Both sides over R² here.
  if (EC_POINT_get_Jprojective_coordinates_GFp(group, its->sum, its->x, NULL, its->z, context) != 1 ||
      BN_mod_mul_montgomery(its->z, its->z, its->z, modulo, context) != 1 ||
      BN_mod_mul_montgomery(its->z, its->z, its->r, modulo, context) != 1 ||
      BN_from_montgomery(its->x, its->x, modulo, context) != 1 ||
      BN_from_montgomery(its->x, its->x, modulo, context) != 1) {
    return -1;
  }
  return BN_cmp(its->z, its->x) == 0;
}

/// Sets r, u1 and u2, from `w`, and looks at their sum (SEC 1, section 4.1.4). 1 valid, 0 not shown to be, -1 libcrypto
/// failed.
static int show(const numbers *its, const uint8_t *digest, const uint8_t *signature) {
  const clibcrypto_fixed_base *base = its->base;
  if (BN_bin2bn(signature, (int)base->curve, its->r) == NULL) return -1;
  if (!clibcrypto_is_scalar(its->r, base->order)) return 0;

  // Both orders are a whole number of bytes, so the digest's first bytes are e's.
  if (BN_bin2bn(digest, (int)base->curve, its->e) == NULL ||
      BN_nnmod(its->e, its->e, base->order, its->context) != 1 ||
      BN_mod_mul_montgomery(its->u1, its->e, its->w, base->modulo_order, its->context) != 1 ||
      BN_mod_mul_montgomery(its->u2, its->r, its->w, base->modulo_order, its->context) != 1) {
    return -1;
  }
  return is_x_of_sum(its);
}

/// At most `largest_batch`, of which none is shown yet.
static bool verify(clibcrypto_batch *batch, const clibcrypto_fixed_base *base, const uint8_t *digests,
                   const uint8_t *signatures, size_t count, uint8_t *shown) {
  numbers its;
  bool done = numbers_begin(&its, base, batch->context) && invert(batch, &its, signatures, count);
  for (size_t index = count; done && index-- > 0;) {
    if (BN_is_zero(batch->s[index])) continue;
    int result = -1;
    if (take_inverse(batch, index, &its)) {
      result = show(&its, digests + index * digest_size, signatures + 2 * index * base->curve);
    }
    done = result >= 0;
    shown[index] = result == 1;
  }
  numbers_end(&its);
  return done;
}

int clibcrypto_batch_verify(clibcrypto_batch *batch, const clibcrypto_fixed_base *base, const uint8_t *digests,
                            const uint8_t *signatures, size_t count, uint8_t *shown) {
  memset(shown, 0, count);
  bool done = true;
  for (size_t start = 0; done && start < count; start += largest_batch) {
    const size_t rest = count - start;
    done = verify(batch, base, digests + start * digest_size, signatures + 2 * start * base->curve,
                  rest < largest_batch ? rest : largest_batch, shown + start);
  }
  if (done) return 1;
  memset(shown, 0, count);
  ERR_clear_error();
  return -1;
}
