#include "public_key.h"

#include "curve.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <stdlib.h>

enum { largest_point = 65 };

/// Returns 1 if the bytes are a finite point of the curve, 0 if not, -1 if libcrypto failed.
static int is_on_curve(clibcrypto_curve curve, const uint8_t *bytes, size_t count) {
  EC_GROUP *group = EC_GROUP_new_by_curve_name(clibcrypto_curve_nid(curve));
  EC_POINT *point = group == NULL ? NULL : EC_POINT_new(group);
  int result = -1;
  if (point != NULL) {
    ERR_clear_error();
    if (EC_POINT_oct2point(group, point, bytes, count, NULL) == 1) {
      result = !EC_POINT_is_at_infinity(group, point);
    } else {
      // A reason code of the elliptic-curve library is about the bytes. The common reason codes are about libcrypto.
      const unsigned long error = ERR_peek_last_error();
      if (ERR_GET_LIB(error) == ERR_LIB_EC && !ERR_COMMON_ERROR(error)) result = 0;
    }
  }
  EC_POINT_free(point);
  EC_GROUP_free(group);
  return result;
}

static EVP_PKEY *evp_key(clibcrypto_curve curve, const uint8_t *point, size_t count) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)OBJ_nid2sn(clibcrypto_curve_nid(curve)), 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
      OSSL_PARAM_construct_end(),
  };
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  if (context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
  }
  EVP_PKEY_CTX_free(context);
  return key;
}

int clibcrypto_public_key_new(clibcrypto_curve curve, const uint8_t *point, size_t count,
                              clibcrypto_public_key **key) {
  *key = NULL;
  int result = is_on_curve(curve, point, count);
  if (result == 1) {
    EVP_PKEY *evp = evp_key(curve, point, count);
    clibcrypto_public_key *made = calloc(1, sizeof *made);
    if (evp != NULL && made != NULL) {
      made->curve = curve;
      made->verification = EVP_PKEY_CTX_new_from_pkey(NULL, evp, NULL);
    }
    EVP_PKEY_free(evp);
    if (made != NULL && made->verification != NULL && EVP_PKEY_verify_init(made->verification) == 1) {
      *key = made;
    } else {
      clibcrypto_public_key_free(made);
      result = -1;
    }
  }
  if (result != 1) ERR_clear_error();
  return result;
}

void clibcrypto_public_key_free(clibcrypto_public_key *key) {
  if (key == NULL) return;
  EVP_PKEY_CTX_free(key->verification);
  free(key);
}

int clibcrypto_verify(const clibcrypto_public_key *key, const uint8_t *digest, const uint8_t *signature, size_t count) {
  ERR_clear_error();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_dup(key->verification);
  int result = context == NULL ? -1 : EVP_PKEY_verify(context, signature, count, digest, 32);
  EVP_PKEY_CTX_free(context);
  if (result == 1) return 1;

  // libcrypto reports an error of its own if u1 G + u2 Q is the point at infinity. The signature causes that, and is
  // invalid by SEC 1, section 4.1.4, step 5. The cause is the oldest entry of the error queue.
  unsigned long error = ERR_peek_error();
  if (ERR_GET_LIB(error) == ERR_LIB_EC && ERR_GET_REASON(error) == EC_R_POINT_AT_INFINITY) result = 0;
  ERR_clear_error();
  return result == 0 ? 0 : -1;
}

bool clibcrypto_get_point(const clibcrypto_public_key *key, const EC_GROUP *group, EC_POINT *point, BN_CTX *context) {
  uint8_t bytes[largest_point];
  size_t count = 0;
  const EVP_PKEY *evp = EVP_PKEY_CTX_get0_pkey(key->verification);
  return evp != NULL &&
         EVP_PKEY_get_octet_string_param(evp, OSSL_PKEY_PARAM_PUB_KEY, bytes, sizeof bytes, &count) == 1 &&
         EC_POINT_oct2point(group, point, bytes, count, context) == 1;
}
