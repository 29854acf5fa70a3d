#pragma once

#include "CLibcrypto.h"

#include <openssl/ec.h>
#include <stdbool.h>

// These functions are deprecated since OpenSSL 3.0. They are declared weak so that the program also starts with a libcrypto
// that has removed them: they are NULL then, and no tables are made.
__attribute__((weak)) int EC_GROUP_precompute_mult(EC_GROUP *, BN_CTX *);
__attribute__((weak)) int EC_GROUP_have_precompute_mult(const EC_GROUP *);
__attribute__((weak)) int EC_POINT_get_Jprojective_coordinates_GFp(const EC_GROUP *, const EC_POINT *, BIGNUM *,
                                                                   BIGNUM *, BIGNUM *, BN_CTX *);

/// The way of calling libcrypto for a product that makes it use its fast arithmetic.
typedef enum {
  /// Only the product. The arithmetic that has a built-in table for G then uses tables.
  clibcrypto_alone,

  /// The product plus zero times another point. For the product alone most curves use the slow arithmetic that keeps the
  /// scalar secret.
  clibcrypto_beside_zero,

  /// A multiple of an arbitrary point, without tables.
  clibcrypto_ordinary,
} clibcrypto_way;

/// The multiples of one point, which is the generator of `group`. Never changed after it is made: libcrypto's arithmetic
/// writes only to points, numbers and BN_CTX.
typedef struct {
  EC_GROUP *group;
  clibcrypto_way way;

  /// True if there are tables, and every entry was checked.
  bool has_tables;
} clibcrypto_multiples;

/// Makes the multiples of `point`, or of the curve's generator if `point` is NULL, with tables if this libcrypto provides
/// correct ones. Returns false if libcrypto failed.
bool clibcrypto_multiples_make(clibcrypto_multiples *multiples, clibcrypto_curve curve, const EC_POINT *point,
                               BN_CTX *context);
void clibcrypto_multiples_clear(clibcrypto_multiples *multiples);

/// Sets `product` to `scalar` times the point. libcrypto adds correctly as long as the scalar is below the order.
/// `zero` is the number 0. Returns false if libcrypto failed.
bool clibcrypto_multiply(const clibcrypto_multiples *multiples, EC_POINT *product, const BIGNUM *scalar,
                         const BIGNUM *zero, BN_CTX *context);
