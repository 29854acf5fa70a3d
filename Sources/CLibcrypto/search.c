#include "generator.h"

#include "public_key.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

enum { digest_size = 32, largest_key_count = 64 };

/// Sets `product` to e G for a digest. `e` and `zero` are working numbers.
static bool multiply(const clibcrypto_generator *generator, const uint8_t *digest, EC_POINT *product, BIGNUM *e,
                     const BIGNUM *zero, BN_CTX *context) {
  return clibcrypto_read_digest(generator, digest, e) &&
         clibcrypto_multiply(&generator->multiples, product, e, zero, context);
}

static bool write_x(const clibcrypto_generator *generator, const EC_POINT *point, uint8_t *bytes, BIGNUM *x,
                    BN_CTX *context) {
  if (EC_POINT_is_at_infinity(generator->multiples.group, point)) {
    memset(bytes, 0, generator->curve);
    return true;
  }
  return EC_POINT_get_affine_coordinates(generator->multiples.group, point, x, NULL, context) == 1 &&
         BN_bn2binpad(x, bytes, (int)generator->curve) >= 0;
}

int clibcrypto_generator_x(const clibcrypto_generator *generator, const uint8_t *digest, uint8_t *x) {
  BN_CTX *context = BN_CTX_new();
  EC_POINT *product = EC_POINT_new(generator->multiples.group);
  bool done = false;
  if (context != NULL && product != NULL) {
    BN_CTX_start(context);
    BIGNUM *number = BN_CTX_get(context);
    BIGNUM *zero = BN_CTX_get(context);
    done = zero != NULL && multiply(generator, digest, product, number, zero, context) &&
           write_x(generator, product, x, number, context);
    BN_CTX_end(context);
  }
  EC_POINT_free(product);
  BN_CTX_free(context);
  if (!done) ERR_clear_error();
  return done ? 1 : -1;
}

struct clibcrypto_search {
  const clibcrypto_generator *generator;
  BN_CTX *context;
  BIGNUM *r, *s, *e, *zero;

  /// s times a point whose x is r.
  EC_POINT *product;

  EC_POINT *multiple;

  /// The points of the keys, two for each.
  EC_POINT *points[2 * largest_key_count];
  size_t point_count;
};

void clibcrypto_search_free(clibcrypto_search *search) {
  if (search == NULL) return;
  for (size_t index = 0; index < search->point_count; index++) EC_POINT_free(search->points[index]);
  EC_POINT_free(search->multiple);
  EC_POINT_free(search->product);
  BN_free(search->zero);
  BN_free(search->e);
  BN_free(search->s);
  BN_free(search->r);
  BN_CTX_free(search->context);
  free(search);
}

static bool begin(clibcrypto_search *search, const clibcrypto_generator *generator, const uint8_t *signature) {
  search->generator = generator;
  search->context = BN_CTX_new();
  search->r = BN_bin2bn(signature, (int)generator->curve, NULL);
  search->s = BN_bin2bn(signature + generator->curve, (int)generator->curve, NULL);
  search->e = BN_new();
  search->zero = BN_new();
  search->product = EC_POINT_new(generator->multiples.group);
  search->multiple = EC_POINT_new(generator->multiples.group);
  return search->context != NULL && search->r != NULL && search->s != NULL && search->e != NULL &&
         search->zero != NULL && search->product != NULL && search->multiple != NULL;
}

/// Returns 1; 0 if no digest has the signature; -1 if libcrypto failed.
static int multiply_by_s(clibcrypto_search *search) {
  const clibcrypto_generator *generator = search->generator;
  const BIGNUM *order = generator->order;
  if (!clibcrypto_is_scalar(search->r, order) || !clibcrypto_is_scalar(search->s, order)) return 0;
  const int is_point = clibcrypto_lift(generator, search->r, search->multiple, search->context);
  if (is_point != 1) return is_point;
  const EC_GROUP *group = generator->multiples.group;
  return EC_POINT_mul(group, search->product, NULL, search->multiple, search->s, search->context) == 1 ? 1 : -1;
}

int clibcrypto_search_new(const clibcrypto_generator *generator, const uint8_t *signature,
                          clibcrypto_search **search) {
  *search = NULL;
  ERR_clear_error();
  clibcrypto_search *made = calloc(1, sizeof *made);
  const int result = made != NULL && begin(made, generator, signature) ? multiply_by_s(made) : -1;
  if (result == 1) {
    *search = made;
  } else {
    clibcrypto_search_free(made);
    ERR_clear_error();
  }
  return result;
}

int clibcrypto_search_add(clibcrypto_search *search, const clibcrypto_public_key *key, uint8_t *points) {
  const EC_GROUP *group = search->generator->multiples.group;
  BN_CTX *context = search->context;
  if (search->point_count == 2 * largest_key_count || key->curve != search->generator->curve) return -1;
  EC_POINT *minus = EC_POINT_new(group);
  EC_POINT *sum = EC_POINT_new(group);
  EC_POINT *difference = EC_POINT_new(group);
  // The points are -r Q + s R and -r Q - s R.
  const bool done = minus != NULL && sum != NULL && difference != NULL &&
                    clibcrypto_get_point(key, group, minus, context) &&
                    EC_POINT_mul(group, minus, NULL, minus, search->r, context) == 1 &&
                    EC_POINT_invert(group, minus, context) == 1 &&
                    EC_POINT_add(group, sum, minus, search->product, context) == 1 &&
                    EC_POINT_invert(group, search->product, context) == 1 &&
                    EC_POINT_add(group, difference, minus, search->product, context) == 1 &&
                    write_x(search->generator, sum, points, search->e, context) &&
                    write_x(search->generator, difference, points + search->generator->curve, search->e, context);
  EC_POINT_free(minus);
  if (done) {
    search->points[search->point_count++] = sum;
    search->points[search->point_count++] = difference;
    return 1;
  }
  EC_POINT_free(sum);
  EC_POINT_free(difference);
  ERR_clear_error();
  return -1;
}

/// Returns 1 if it is one of the points, 0 if not, -1 if libcrypto failed.
static int is_sought(const clibcrypto_search *search) {
  for (size_t index = 0; index < search->point_count; index++) {
    const int order = EC_POINT_cmp(search->generator->multiples.group, search->multiple, search->points[index], search->context);
    if (order <= 0) return order == 0 ? 1 : -1;
  }
  return 0;
}

int clibcrypto_search_find(clibcrypto_search *search, const uint8_t *digests, size_t count, size_t *found) {
  *found = count;
  for (size_t index = 0; index < count; index++) {
    int result = -1;
    if (multiply(search->generator, digests + index * digest_size, search->multiple, search->e, search->zero,
                 search->context)) {
      result = is_sought(search);
    }
    if (result < 0) {
      ERR_clear_error();
      return -1;
    }
    if (result == 1) {
      *found = index;
      return 1;
    }
  }
  return 1;
}
