#pragma once

#include "CLibcrypto.h"

#include <openssl/obj_mac.h>

static inline int clibcrypto_curve_nid(clibcrypto_curve curve) {
  switch (curve) {
  case clibcrypto_p192: return NID_X9_62_prime192v1;
  case clibcrypto_p256: return NID_X9_62_prime256v1;
  }
  return NID_undef;
}
