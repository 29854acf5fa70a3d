#pragma once

#include "CLibcrypto.h"

#include <openssl/evp.h>

/// The context is never used itself, only duplicated: 0.1 µs, where to set one up costs 2.
struct clibcrypto_public_key {
  clibcrypto_curve curve;
  EVP_PKEY_CTX *verification;
};
