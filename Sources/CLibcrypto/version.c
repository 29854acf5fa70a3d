#include "CLibcrypto.h"

#include <openssl/crypto.h>

const char *clibcrypto_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
