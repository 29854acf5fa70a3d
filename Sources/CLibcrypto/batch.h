#pragma once

#include "generator.h"

/// An inversion costs as much as half a verification. Shared by 128 signatures its cost is negligible.
enum { clibcrypto_digest_size = 32, clibcrypto_largest_batch = 128 };

struct clibcrypto_batch {
  BN_CTX *context;

  /// The numbers to invert modulo n; 0 for none.
  BIGNUM *values[clibcrypto_largest_batch];

  /// For each value the product of all values before it that are not 0, each divided by the Montgomery factor R, times R.
  BIGNUM *products[clibcrypto_largest_batch];

  /// The inverse of the same product of all values that were not taken yet, times R.
  BIGNUM *inverse;
};

/// Sets `products` and `inverse` for the first `count` values, with one inversion for all (Montgomery's trick). Returns false
/// if libcrypto failed.
bool clibcrypto_batch_invert(clibcrypto_batch *batch, const clibcrypto_generator *generator, size_t count);

/// Sets `inverse` to the inverse, times R, of the value at `index`: the last one that was not taken yet, and not 0. Returns
/// false if libcrypto failed.
bool clibcrypto_batch_take(clibcrypto_batch *batch, const clibcrypto_generator *generator, size_t index,
                           BIGNUM *inverse);

/// Sets `x` and `zz` so that a number is the x-coordinate of a finite point if its Montgomery product with `zz` equals `x`.
/// Returns false if libcrypto failed.
bool clibcrypto_compared_x(const clibcrypto_generator *generator, const EC_POINT *point, BIGNUM *x, BIGNUM *zz,
                           BN_CTX *context);
