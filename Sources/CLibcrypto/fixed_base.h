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

/// Read only, once made: libcrypto's arithmetic writes to points, numbers and BN_CTX alone.
struct clibcrypto_fixed_base {
  clibcrypto_curve curve;

  /// The curve twice, with tables for its generator: that is the standard one, G, in `standard`, and the key's point,
  /// Q, in `key`. What has been computed in one may be used in the other.
  EC_GROUP *standard, *key;

  /// Whether libcrypto uses the tables for a product that stands alone.
  bool multiplies_alone;

  /// The n of SEC 1, and what computes modulo n and p.
  const BIGNUM *order;
  BN_MONT_CTX *modulo_order, *modulo_field;
};

static inline bool clibcrypto_is_scalar(const BIGNUM *number, const BIGNUM *order) {
  return !BN_is_zero(number) && BN_cmp(number, order) < 0;
}
