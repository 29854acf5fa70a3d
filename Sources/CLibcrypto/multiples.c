#define OPENSSL_SUPPRESS_DEPRECATED

#include "multiples.h"

#include "curve.h"

#include <openssl/bn.h>
#include <string.h>

enum { largest_scalar = 32, last_repeated_byte = 254, other_scalar_count = 16 };

int clibcrypto_offers_tables(void) {
  return EC_GROUP_precompute_mult != NULL && EC_GROUP_have_precompute_mult != NULL &&
         EC_POINT_get_Jprojective_coordinates_GFp != NULL;
}

bool clibcrypto_multiply(const clibcrypto_multiples *multiples, EC_POINT *product, const BIGNUM *scalar,
                         const BIGNUM *zero, BN_CTX *context) {
  const EC_GROUP *group = multiples->group;
  const EC_POINT *point = EC_GROUP_get0_generator(group);
  switch (multiples->way) {
  case clibcrypto_alone: return EC_POINT_mul(group, product, scalar, NULL, NULL, context) == 1;
  case clibcrypto_beside_zero: return EC_POINT_mul(group, product, scalar, point, zero, context) == 1;
  case clibcrypto_ordinary: break;
  }
  return EC_POINT_mul(group, product, NULL, point, scalar, context) == 1;
}

/// The working numbers and points of a check.
typedef struct {
  const clibcrypto_multiples *multiples;
  BIGNUM *scalar, *zero;
  EC_POINT *product, *expected, *step;
  BN_CTX *context;
} check;

/// Returns true if the product of `scalar` with tables is `expected`.
static bool is_as_expected(const check *its) {
  return clibcrypto_multiply(its->multiples, its->product, its->scalar, its->zero, its->context) &&
         EC_POINT_cmp(its->multiples->group, its->product, its->expected, its->context) == 0;
}

/// Sets `point` to `scalar` times the point, without tables.
static bool multiply_without_tables(const check *its, EC_POINT *point) {
  const EC_GROUP *group = its->multiples->group;
  return EC_POINT_mul(group, point, NULL, EC_GROUP_get0_generator(group), its->scalar, its->context) == 1;
}

/// Checks the products with each scalar whose bytes are all equal. A window of up to eight bits at any place has a rotation
/// of the byte, and so takes every possible value: every entry of a table with such windows is used. The byte 255, which
/// gives no scalar below the order, would only add digits of 0. The expected products are computed by repeated addition.
static bool are_repeated_bytes_right(const check *its, size_t size) {
  const EC_GROUP *group = its->multiples->group;
  uint8_t bytes[largest_scalar];
  bool done = EC_POINT_set_to_infinity(group, its->expected) == 1;
  for (int byte = 1; done && byte <= last_repeated_byte; byte++) {
    memset(bytes, byte, size);
    done = BN_bin2bn(bytes, (int)size, its->scalar) != NULL;
    if (byte == 1) done = done && multiply_without_tables(its, its->step);
    done = done && EC_POINT_add(group, its->expected, its->expected, its->step, its->context) == 1 &&
           is_as_expected(its);
  }
  return done;
}

/// Checks the products with irregular scalars, each the square of the last one plus 2. They use every entry of a comb,
/// whose windows consist of distant bits.
static bool are_others_right(const check *its) {
  const BIGNUM *order = EC_GROUP_get0_order(its->multiples->group);
  bool done = BN_rshift1(its->scalar, order) == 1;
  for (int index = 0; done && index < other_scalar_count; index++) {
    done = BN_mod_sqr(its->scalar, its->scalar, order, its->context) == 1 && BN_add_word(its->scalar, 2) == 1 &&
           BN_nnmod(its->scalar, its->scalar, order, its->context) == 1 &&
           multiply_without_tables(its, its->expected) && is_as_expected(its);
  }
  return done;
}

/// Returns true if all products with tables equal those that libcrypto computes without tables.
static bool are_right(const clibcrypto_multiples *multiples, clibcrypto_curve curve, BN_CTX *context) {
  const EC_GROUP *group = multiples->group;
  BN_CTX_start(context);
  check its = {
      .multiples = multiples,
      .scalar = BN_CTX_get(context),
      .zero = BN_CTX_get(context),
      .product = EC_POINT_new(group),
      .expected = EC_POINT_new(group),
      .step = EC_POINT_new(group),
      .context = context,
  };
  const bool right = its.zero != NULL && its.product != NULL && its.expected != NULL && its.step != NULL &&
                     are_repeated_bytes_right(&its, (size_t)curve) && are_others_right(&its);
  EC_POINT_free(its.product);
  EC_POINT_free(its.expected);
  EC_POINT_free(its.step);
  BN_CTX_end(context);
  return right;
}

/// Sets `point` as the generator of the group.
static bool set_generator(EC_GROUP *group, const EC_POINT *point) {
  BIGNUM *order = BN_dup(EC_GROUP_get0_order(group));
  const bool done = order != NULL && EC_GROUP_set_generator(group, point, order, BN_value_one()) == 1;
  BN_free(order);
  return done;
}

bool clibcrypto_multiples_make(clibcrypto_multiples *multiples, clibcrypto_curve curve, const EC_POINT *point,
                               BN_CTX *context) {
  EC_GROUP *group = EC_GROUP_new_by_curve_name(clibcrypto_curve_nid(curve));
  *multiples = (clibcrypto_multiples){.group = group, .way = clibcrypto_alone};
  if (group == NULL) return false;
  const bool are_offered = clibcrypto_offers_tables() == 1;
  // Only the arithmetic that always uses tables has a built-in table for G.
  const bool comes_with_table = are_offered && EC_GROUP_have_precompute_mult(group) == 1;
  if (point != NULL && !set_generator(group, point)) return false;
  if (!are_offered) return true;
  if (EC_GROUP_precompute_mult(group, context) != 1 || EC_GROUP_have_precompute_mult(group) != 1) return true;
  if (!comes_with_table) multiples->way = clibcrypto_beside_zero;
  multiples->has_tables = are_right(multiples, curve, context);
  if (!multiples->has_tables) multiples->way = clibcrypto_ordinary;
  return true;
}

void clibcrypto_multiples_clear(clibcrypto_multiples *multiples) {
  EC_GROUP_free(multiples->group);
  multiples->group = NULL;
}
