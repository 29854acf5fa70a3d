/// A libcrypto that goes wrong, to be loaded before the real one (LD_PRELOAD). POSTBACK_FAULT says how, as FAULT or
/// FAULT:AFTER:EVERY: the calls that go wrong are one in EVERY behind the first AFTER.
///
/// FAULT is the name of a function below, which fails then; or wrong_product, wrong_entry, wrong_x, zero_infinity, no_memory.
/// Compiled with -DWITHOUT_TABLES it is a libcrypto that has dropped what tables are made with.
#define OPENSSL_SUPPRESS_DEPRECATED
#define _GNU_SOURCE

#include <dlfcn.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char announcement[] = "libcrypto goes wrong\n";

/// The function of libcrypto with this name.
#define REAL(name)                                                     \
  ({                                                                   \
    static _Atomic(__typeof__(&name)) its;                             \
    if (its == NULL) its = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    its;                                                               \
  })

/// Whether libcrypto itself calls, which then gets what is right: it is what uses it that is tested. `dladdr` would also look for
/// the name of the function, among all of a debug build.
static bool is_libcrypto(void *caller) {
  struct dl_find_object its, ours;
  return _dl_find_object(caller, &its) == 0 && _dl_find_object((void *)REAL(BN_new), &ours) == 0
         && its.dlfo_link_map == ours.dlfo_link_map;
}

/// Whether this call of what is named goes wrong.
static bool goes_wrong_for(void *caller, const char *name) {
  static atomic_long calls;
  static atomic_flag announced = ATOMIC_FLAG_INIT;
  const char *fault = getenv("POSTBACK_FAULT");
  const size_t length = strlen(name);
  if (fault == NULL || strncmp(fault, name, length) != 0 || (fault[length] != ':' && fault[length] != 0)) return false;
  if (is_libcrypto(caller)) return false;
  long after = 0;
  long every = 1;
  if (fault[length] == ':') {
    char *end;
    after = strtol(fault + length + 1, &end, 10);
    if (*end == ':') every = strtol(end + 1, NULL, 10);
  }
  const long call = atomic_fetch_add(&calls, 1);
  if (call < after || (call - after) % every != 0) return false;
  if (!atomic_flag_test_and_set(&announced)) (void)!write(STDERR_FILENO, announcement, sizeof announcement - 1);
  return true;
}

#define goes_wrong(name) goes_wrong_for(__builtin_return_address(0), name)

int EC_POINT_add(const EC_GROUP *group, EC_POINT *sum, const EC_POINT *left, const EC_POINT *right, BN_CTX *context) {
  if (goes_wrong("EC_POINT_add")) return 0;
  const int result = REAL(EC_POINT_add)(group, sum, left, right, context);
#ifndef WITHOUT_TABLES
  // The point at infinity has a Z of 0 and may have any X.
  if (result == 1 && EC_POINT_is_at_infinity(group, sum) && goes_wrong("zero_infinity")) {
    BIGNUM *zero = BN_new();
    const int done = EC_POINT_set_Jprojective_coordinates_GFp(group, sum, zero, BN_value_one(), zero, context);
    BN_free(zero);
    return done;
  }
#endif
  return result;
}

int EC_POINT_mul(const EC_GROUP *group, EC_POINT *product, const BIGNUM *scalar, const EC_POINT *point,
                 const BIGNUM *factor, BN_CTX *context) {
  if (goes_wrong("EC_POINT_mul")) return 0;
#ifdef WITHOUT_TABLES
  // Seven times as slow as the product alone.
  if (scalar != NULL && factor != NULL && BN_is_zero(factor) && !is_libcrypto(__builtin_return_address(0))) abort();
#endif
  const int result = REAL(EC_POINT_mul)(group, product, scalar, point, factor, context);
  if (result != 1 || scalar == NULL) return result;
  // One entry: the products of the scalars whose bits 77 to 83 are 0100001.
  bool is_wrong = true;
  for (int bit = 0; bit < 7; bit++) is_wrong = is_wrong && BN_is_bit_set(scalar, 77 + bit) == (bit == 0 || bit == 5);
  if (!(is_wrong && goes_wrong("wrong_entry")) && !goes_wrong("wrong_product")) return result;
  return REAL(EC_POINT_add)(group, product, product, EC_GROUP_get0_generator(group), context);
}

int BN_mod_mul_montgomery(BIGNUM *product, const BIGNUM *left, const BIGNUM *right, BN_MONT_CTX *modulo,
                          BN_CTX *context) {
  if (goes_wrong("BN_mod_mul_montgomery")) return 0;
  return REAL(BN_mod_mul_montgomery)(product, left, right, modulo, context);
}

BIGNUM *BN_mod_inverse(BIGNUM *inverse, const BIGNUM *number, const BIGNUM *modulo, BN_CTX *context) {
  if (goes_wrong("BN_mod_inverse")) return NULL;
  return REAL(BN_mod_inverse)(inverse, number, modulo, context);
}

int EC_POINT_set_compressed_coordinates(const EC_GROUP *group, EC_POINT *point, const BIGNUM *x, int parity,
                                        BN_CTX *context) {
  if (goes_wrong("EC_POINT_set_compressed_coordinates")) return 0;
  return REAL(EC_POINT_set_compressed_coordinates)(group, point, x, parity, context);
}

int EC_POINT_oct2point(const EC_GROUP *group, EC_POINT *point, const unsigned char *bytes, size_t count,
                       BN_CTX *context) {
  if (goes_wrong("no_memory")) {
    ERR_raise(ERR_LIB_EC, ERR_R_MALLOC_FAILURE);
    return 0;
  }
  return REAL(EC_POINT_oct2point)(group, point, bytes, count, context);
}

#ifdef WITHOUT_TABLES
// Symbols of the value 0: who refers to them weakly finds nothing there.
__asm__(".globl EC_GROUP_precompute_mult\n.set EC_GROUP_precompute_mult, 0");
__asm__(".globl EC_GROUP_have_precompute_mult\n.set EC_GROUP_have_precompute_mult, 0");
__asm__(".globl EC_POINT_get_Jprojective_coordinates_GFp\n.set EC_POINT_get_Jprojective_coordinates_GFp, 0");
#else
int EC_POINT_get_Jprojective_coordinates_GFp(const EC_GROUP *group, const EC_POINT *point, BIGNUM *x, BIGNUM *y,
                                             BIGNUM *z, BN_CTX *context) {
  if (goes_wrong("EC_POINT_get_Jprojective_coordinates_GFp")) return 0;
  const int result = REAL(EC_POINT_get_Jprojective_coordinates_GFp)(group, point, x, y, z, context);
  return result == 1 && x != NULL && goes_wrong("wrong_x") ? BN_add_word(x, 1) : result;
}
#endif
