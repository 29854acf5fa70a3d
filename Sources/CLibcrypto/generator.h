#pragma once

#include "multiples.h"

/// Read only, once made.
struct clibcrypto_generator {
  clibcrypto_curve curve;

  /// Those of G.
  clibcrypto_multiples multiples;

  /// The n and the p of SEC 1, p - n, and what computes modulo n and p.
  const BIGNUM *order;
  BIGNUM *field, *field_beyond_order;
  BN_MONT_CTX *modulo_order, *modulo_field;
};

static inline bool clibcrypto_is_scalar(const BIGNUM *number, const BIGNUM *order) {
  return !BN_is_zero(number) && BN_cmp(number, order) < 0;
}

/// Sets `number` to the number that a digest stands for, modulo n.
bool clibcrypto_read_digest(const clibcrypto_generator *generator, const uint8_t *digest, BIGNUM *number);

/// Sets `point` to one of the two points whose x is given. 1 done, 0 there are none, -1 libcrypto failed.
int clibcrypto_lift(const clibcrypto_generator *generator, const BIGNUM *x, EC_POINT *point, BN_CTX *context);
