/// A shim over OpenSSL's libcrypto. It exposes no OpenSSL type.
///
/// Functions that return `int` return 1 or 0 as their comment says, and -1 if libcrypto failed, which says nothing about the
/// input. "Curve bytes" is the raw value of `clibcrypto_curve`.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A SHA-256 computation that can be run any number of times.
typedef struct clibcrypto_sha256 clibcrypto_sha256;

/// Returns NULL if libcrypto failed.
clibcrypto_sha256 *_Nullable clibcrypto_sha256_new(void);
void clibcrypto_sha256_free(clibcrypto_sha256 *_Nullable hash);

/// The three steps of a computation. Each returns 1, or -1 if libcrypto failed.
int clibcrypto_sha256_begin(clibcrypto_sha256 *_Nonnull hash);
int clibcrypto_sha256_update(clibcrypto_sha256 *_Nonnull hash, const void *_Nullable bytes, size_t count);
/// Writes 32 bytes.
int clibcrypto_sha256_end(clibcrypto_sha256 *_Nonnull hash, uint8_t *_Nonnull digest);
/// Writes the 32 bytes that the end would write now, and leaves the computation as it is. Returns 1, or -1 if libcrypto failed.
int clibcrypto_sha256_peek(const clibcrypto_sha256 *_Nonnull hash, uint8_t *_Nonnull digest);

/// Writes the HMAC-SHA256 (RFC 2104) of a message, 32 bytes. Returns 1, or -1 if libcrypto failed.
int clibcrypto_hmac_sha256(const uint8_t *_Nonnull secret, size_t secret_count, const uint8_t *_Nullable message,
                           size_t count, uint8_t *_Nonnull digest);

/// Returns 1 if both are equal, else 0, in a time that depends only on `count`.
int clibcrypto_is_equal(const void *_Nonnull left, const void *_Nonnull right, size_t count);

/// The curves that Apple signs postbacks with. The raw value is the size of a field element, and of a scalar, in bytes.
typedef enum {
  clibcrypto_p192 = 24,
  clibcrypto_p256 = 32,
} clibcrypto_curve;

/// A public key. Any number of threads may verify with it at once.
typedef struct clibcrypto_public_key clibcrypto_public_key;

/// Makes the key of a point, compressed or uncompressed (SEC 1, section 2.3.3).
/// Returns 1; 0 if the bytes are not a point of the curve, or are the point at infinity; -1 if libcrypto failed.
int clibcrypto_public_key_new(clibcrypto_curve curve, const uint8_t *_Nonnull point, size_t count,
                              clibcrypto_public_key *_Nullable *_Nonnull key);
void clibcrypto_public_key_free(clibcrypto_public_key *_Nullable key);

/// Verifies an ECDSA-Sig-Value of a 32-byte digest. The caller must have checked that the signature is strict DER and that
/// neither integer is negative; other signatures are malformed and not invalid.
/// Returns 1 if the signature is valid, 0 if it is invalid, -1 if libcrypto failed.
int clibcrypto_verify(const clibcrypto_public_key *_Nonnull key, const uint8_t *_Nonnull digest,
                      const uint8_t *_Nonnull signature, size_t count);

/// Returns 1 if this libcrypto has all functions that verification with tables needs, and 0 if not.
int clibcrypto_offers_tables(void);

/// The multiples of a curve's generator. Any number of threads may verify and search with them at once.
typedef struct clibcrypto_generator clibcrypto_generator;

/// Returns NULL if libcrypto failed.
clibcrypto_generator *_Nullable clibcrypto_generator_new(clibcrypto_curve curve);
void clibcrypto_generator_free(clibcrypto_generator *_Nullable generator);

/// Returns 1 if there are tables for the generator. They were checked completely. Without them nothing is verified with
/// tables.
int clibcrypto_generator_has_tables(const clibcrypto_generator *_Nonnull generator);

/// The tables of multiples of a public key's point. Any number of threads may verify with them at once.
typedef struct clibcrypto_fixed_base clibcrypto_fixed_base;

/// Builds the tables, which takes 150 KB and about 30 ms on P-256, and checks them completely: products with scalars that
/// use every entry are compared with products that are computed without tables.
/// Returns NULL if this libcrypto offers no tables, if they are wrong, or if libcrypto failed.
clibcrypto_fixed_base *_Nullable clibcrypto_fixed_base_new(const clibcrypto_public_key *_Nonnull key,
                                                           const clibcrypto_generator *_Nonnull generator);
void clibcrypto_fixed_base_free(clibcrypto_fixed_base *_Nullable base);

/// The working memory with which one thread verifies batches of signatures of any keys, one batch after the other.
typedef struct clibcrypto_batch clibcrypto_batch;

/// Returns NULL if libcrypto failed.
clibcrypto_batch *_Nullable clibcrypto_batch_new(void);
void clibcrypto_batch_free(clibcrypto_batch *_Nullable batch);

/// A selection from an array of signatures on one curve. Each signature has several candidate digests.
typedef struct {
  /// r, then s, of each signature, curve bytes each.
  const uint8_t *_Nonnull signatures;

  /// The digests, 32 bytes each. Those of signature i have the indices from digest_starts[i] to below digest_starts[i + 1].
  const uint8_t *_Nonnull digests;
  const uint32_t *_Nonnull digest_starts;

  /// The indices of the selected signatures.
  const uint32_t *_Nonnull which;
  size_t count;
} clibcrypto_signatures;

typedef enum {
  /// None of the keys signed any of the digests.
  clibcrypto_not_signed = 0,

  /// The key signed the digest.
  clibcrypto_signed = 1,

  /// Only this key can have signed, and only this digest. clibcrypto_verify must decide.
  clibcrypto_to_be_asked = 2,
} clibcrypto_answer;

/// The finding on a signature: the answer, and the indices of the key and of the digest among those of the signature.
typedef struct {
  clibcrypto_answer answer;
  uint32_t digest, key;
} clibcrypto_finding;

/// The greatest number of keys in one call of `clibcrypto_batch_verify`.
enum { clibcrypto_most_bases = 16 };

/// Verifies each selected signature for each of its digests with each of the bases, and writes its finding. The bases, at
/// most `clibcrypto_most_bases`, are on the generator's curve. For a signature u1 G is computed once for each digest, and
/// u2 Q once for each base.
/// Returns 1, or -1 if libcrypto failed; the findings are then undefined.
int clibcrypto_batch_verify(clibcrypto_batch *_Nonnull batch, const clibcrypto_generator *_Nonnull generator,
                            const clibcrypto_fixed_base *_Nonnull const *_Nonnull bases, size_t base_count,
                            const clibcrypto_signatures *_Nonnull signatures, clibcrypto_finding *_Nonnull findings);

/// Recovers the keys for which the signatures are valid (SEC 1, section 4.1.6) and looks for them among `keys`, which holds
/// the x of each key's point in curve bytes. Costs about as much as eight bases for any number of keys, and needs no
/// tables of the keys. Never answers `clibcrypto_signed`.
/// Returns 1, or -1 if libcrypto failed or has no tables for the generator; the findings are then undefined.
int clibcrypto_batch_recover(clibcrypto_batch *_Nonnull batch, const clibcrypto_generator *_Nonnull generator,
                             const uint8_t *_Nonnull keys, size_t key_count,
                             const clibcrypto_signatures *_Nonnull signatures, clibcrypto_finding *_Nonnull findings);

/// Writes the x of e G in curve bytes, where e is the number of a 32-byte digest; zeros if e is 0 modulo n.
/// Returns 1, or -1 if libcrypto failed.
int clibcrypto_generator_x(const clibcrypto_generator *_Nonnull generator, const uint8_t *_Nonnull digest,
                           uint8_t *_Nonnull x);

/// A search for the digest that a signature signs. For one thread.
///
/// A signature (r, s) is valid for a digest e if e G = s R - r Q, where Q is the key's point and R is one of the two points
/// whose x is r. So each key determines two points, and a test of a digest takes one multiple of the generator for any
/// number of keys. If r was reduced modulo n, which happens once in 2^96 or 2^128 signatures, nothing is found.
typedef struct clibcrypto_search clibcrypto_search;

/// Makes the search for a signature, which is r, then s, curve bytes each.
/// Returns 1; 0 if no digest has that signature, because r or s is out of range or r is not the x of a point; -1 if
/// libcrypto failed.
int clibcrypto_search_new(const clibcrypto_generator *_Nonnull generator, const uint8_t *_Nonnull signature,
                          clibcrypto_search *_Nullable *_Nonnull search);
void clibcrypto_search_free(clibcrypto_search *_Nullable search);

/// Adds a key of the curve that may have signed, of at most 64. Writes the x of its two points, curve bytes each, zeros for
/// the point at infinity.
/// Returns 1, or -1 if libcrypto failed or there are too many keys.
int clibcrypto_search_add(clibcrypto_search *_Nonnull search, const clibcrypto_public_key *_Nonnull key,
                          uint8_t *_Nonnull points);

/// Sets `found` to the index of the first of `count` digests, 32 bytes each, that one of the keys may have signed; to
/// `count` if there is none. clibcrypto_verify must decide if it did.
/// Returns 1, or -1 if libcrypto failed.
int clibcrypto_search_find(clibcrypto_search *_Nonnull search, const uint8_t *_Nonnull digests, size_t count,
                           size_t *_Nonnull found);

/// A private key. Any number of threads may sign with it at once.
typedef struct clibcrypto_signing_key clibcrypto_signing_key;

/// Makes the key of a big-endian scalar of curve bytes, and writes its public point uncompressed, in 1 + 2 * curve bytes.
/// Returns 1; 0 if the scalar is 0 or not below the curve's order; -1 if libcrypto failed.
int clibcrypto_signing_key_new(clibcrypto_curve curve, const uint8_t *_Nonnull scalar, uint8_t *_Nonnull point,
                               clibcrypto_signing_key *_Nullable *_Nonnull key);
void clibcrypto_signing_key_free(clibcrypto_signing_key *_Nullable key);

/// Signs a 32-byte digest with the nonce of RFC 6979, and writes r and s, curve bytes each. Returns 1, or -1 if libcrypto
/// failed.
int clibcrypto_sign(const clibcrypto_signing_key *_Nonnull key, const uint8_t *_Nonnull digest,
                    uint8_t *_Nonnull signature);

/// Writes random bytes that are secure enough for a private key. Returns 1, or -1 if libcrypto failed.
int clibcrypto_random(uint8_t *_Nonnull bytes, size_t count);

/// The name and version of the library at run time, such as "OpenSSL 3.0.15 3 Sep 2024".
const char *_Nonnull clibcrypto_version(void);
