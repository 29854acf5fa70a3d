#pragma once

#include "multiples.h"

/// Never changed after it is made.
struct clibcrypto_generator {
  clibcrypto_curve curve;

  /// The multiples of G.
  clibcrypto_multiples multiples;

  /// n and p of SEC 1, p - n, and the Montgomery contexts modulo n and p.
  const BIGNUM *order;
  BIGNUM *field, *field_beyond_order;
  BN_MONT_CTX *modulo_order, *modulo_field;

  /// The cube of the Montgomery factor R modulo p.
  BIGNUM *cubed_factor;
};

static inline bool clibcrypto_is_scalar(const BIGNUM *number, const BIGNUM *order) {
  return !BN_is_zero(number) && BN_cmp(number, order) < 0;
}

/// Sets `number` to the number of a digest, modulo n. Returns false if libcrypto failed.
bool clibcrypto_read_digest(const clibcrypto_generator *generator, const uint8_t *digest, BIGNUM *number);

/// Sets `point` to one of the two points with this x. Returns 1; 0 if there are none; -1 if libcrypto failed.
int clibcrypto_lift(const clibcrypto_generator *generator, const BIGNUM *x, EC_POINT *point, BN_CTX *context);
