#pragma once

#include "CLibcrypto.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <stdbool.h>

/// The context is never used itself, only duplicated: 0.1 µs, where to set one up costs 2.
struct clibcrypto_public_key {
  clibcrypto_curve curve;
  EVP_PKEY_CTX *verification;
};

/// Sets a point of the key's curve to the key's. False: libcrypto failed.
bool clibcrypto_get_point(const clibcrypto_public_key *key, const EC_GROUP *group, EC_POINT *point, BN_CTX *context);
