#define OPENSSL_SUPPRESS_DEPRECATED

#include "generator.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <stdlib.h>

static bool make(clibcrypto_generator *generator, BN_CTX *context) {
  if (!clibcrypto_multiples_make(&generator->multiples, generator->curve, NULL, context)) return false;
  const EC_GROUP *group = generator->multiples.group;
  generator->order = EC_GROUP_get0_order(group);
  generator->field = BN_new();
  generator->field_beyond_order = BN_new();
  generator->modulo_order = BN_MONT_CTX_new();
  generator->modulo_field = BN_MONT_CTX_new();
  BIGNUM *cube = generator->cubed_factor = BN_new();
  return cube != NULL && generator->field != NULL && generator->field_beyond_order != NULL && generator->modulo_order != NULL &&
         generator->modulo_field != NULL && EC_GROUP_get_curve(group, generator->field, NULL, NULL, context) == 1 &&
         BN_sub(generator->field_beyond_order, generator->field, generator->order) == 1 &&
         BN_MONT_CTX_set(generator->modulo_order, generator->order, context) == 1 &&
         BN_MONT_CTX_set(generator->modulo_field, generator->field, context) == 1 &&
         BN_to_montgomery(cube, BN_value_one(), generator->modulo_field, context) == 1 &&
         BN_to_montgomery(cube, cube, generator->modulo_field, context) == 1 &&
         BN_to_montgomery(cube, cube, generator->modulo_field, context) == 1;
}

clibcrypto_generator *clibcrypto_generator_new(clibcrypto_curve curve) {
  clibcrypto_generator *generator = calloc(1, sizeof *generator);
  BN_CTX *context = BN_CTX_new();
  bool done = false;
  if (generator != NULL && context != NULL) {
    generator->curve = curve;
    done = make(generator, context);
  }
  BN_CTX_free(context);
  ERR_clear_error();
  if (done) return generator;
  clibcrypto_generator_free(generator);
  return NULL;
}

void clibcrypto_generator_free(clibcrypto_generator *generator) {
  if (generator == NULL) return;
  BN_free(generator->cubed_factor);
  BN_MONT_CTX_free(generator->modulo_field);
  BN_MONT_CTX_free(generator->modulo_order);
  BN_free(generator->field_beyond_order);
  BN_free(generator->field);
  clibcrypto_multiples_clear(&generator->multiples);
  free(generator);
}

int clibcrypto_generator_has_tables(const clibcrypto_generator *generator) { return generator->multiples.has_tables; }

bool clibcrypto_read_digest(const clibcrypto_generator *generator, const uint8_t *digest, BIGNUM *number) {
  // Both orders are a whole number of bytes, so the number is the digest's first bytes. It is below 2 n.
  return BN_bin2bn(digest, (int)generator->curve, number) != NULL &&
         (BN_cmp(number, generator->order) < 0 || BN_sub(number, number, generator->order) == 1);
}

int clibcrypto_lift(const clibcrypto_generator *generator, const BIGNUM *x, EC_POINT *point, BN_CTX *context) {
  ERR_clear_error();
  if (EC_POINT_set_compressed_coordinates(generator->multiples.group, point, x, 0, context) == 1) return 1;
  const unsigned long error = ERR_peek_error();
  ERR_clear_error();
  return ERR_GET_LIB(error) == ERR_LIB_EC && ERR_GET_REASON(error) == EC_R_INVALID_COMPRESSED_POINT ? 0 : -1;
}
