#pragma once

#include "CLibcrypto.h"

#include <openssl/ec.h>
#include <stdbool.h>

// Deprecated since OpenSSL 3.0. Weak, so that what is built links with, and starts on, a libcrypto that has dropped them:
// there they are NULL, and no tables are made.
__attribute__((weak)) int EC_GROUP_precompute_mult(EC_GROUP *, BN_CTX *);
__attribute__((weak)) int EC_GROUP_have_precompute_mult(const EC_GROUP *);
__attribute__((weak)) int EC_POINT_get_Jprojective_coordinates_GFp(const EC_GROUP *, const EC_POINT *, BIGNUM *,
                                                                   BIGNUM *, BIGNUM *, BN_CTX *);

/// Whether this libcrypto has everything that verification with tables takes.
bool clibcrypto_are_tables_offered(void);

/// How libcrypto is asked for a product so that it is fast.
typedef enum {
  /// As a product that stands alone: so the arithmetic that comes with a table for G takes tables.
  clibcrypto_alone,

  /// With zero times something added: otherwise most curves take the slow way that keeps the scalar secret.
  clibcrypto_beside_zero,

  /// As a multiple of any point, without tables.
  clibcrypto_ordinary,
} clibcrypto_way;

/// Multiples of one point, the generator of `group`. Read only, once made: libcrypto's arithmetic writes to points,
/// numbers and BN_CTX alone.
typedef struct {
  EC_GROUP *group;
  clibcrypto_way way;

  /// Whether there are tables, and every entry of them was found right.
  bool has_tables;
} clibcrypto_multiples;

/// Makes the multiples of `point`, with tables where this libcrypto has some that are right; of the curve's own generator,
/// if `point` is NULL. False: libcrypto failed.
bool clibcrypto_multiples_make(clibcrypto_multiples *multiples, clibcrypto_curve curve, const EC_POINT *point,
                               BN_CTX *context);
void clibcrypto_multiples_clear(clibcrypto_multiples *multiples);

/// Sets `product` to `scalar` times the point. libcrypto's additions are complete here as long as the scalar is below the
/// order. `zero` is the number 0. False: libcrypto failed.
bool clibcrypto_multiply(const clibcrypto_multiples *multiples, EC_POINT *product, const BIGNUM *scalar,
                         const BIGNUM *zero, BN_CTX *context);
