#pragma once

#include "generator.h"

/// An inversion costs as much as half a verification; shared by 128 it is not seen.
enum { clibcrypto_digest_size = 32, clibcrypto_largest_batch = 128 };

struct clibcrypto_batch {
  BN_CTX *context;

  /// Numbers to invert modulo n; 0 where there is none. Once inverted, times the Montgomery factor R.
  BIGNUM *values[clibcrypto_largest_batch];

  /// The product of all values before it that are not 0, times R.
  BIGNUM *products[clibcrypto_largest_batch];

  /// The inverse of the product of every value that is not 0 and was not yet taken, times R.
  BIGNUM *inverse;
};

/// Multiplies the first `count` values by R and sets `products` and `inverse`: one inversion for all, after Montgomery.
/// False: libcrypto failed.
bool clibcrypto_batch_invert(clibcrypto_batch *batch, const clibcrypto_generator *generator, size_t count);

/// Sets `inverse` to the inverse of the last value that was not yet taken, times R. The value is not 0. False: libcrypto
/// failed.
bool clibcrypto_batch_take(clibcrypto_batch *batch, const clibcrypto_generator *generator, size_t index,
                           BIGNUM *inverse);

/// Sets x and zz to what tells the x of a finite point by a product: a number is the x, if its product with zz, after
/// Montgomery, is x. False: libcrypto failed.
bool clibcrypto_compared_x(const clibcrypto_generator *generator, const EC_POINT *point, BIGNUM *x, BIGNUM *zz,
                           BN_CTX *context);
