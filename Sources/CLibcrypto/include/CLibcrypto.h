/// What the project uses of OpenSSL's libcrypto, with no OpenSSL type in sight.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A SHA-256 computation that can be run any number of times.
typedef struct clibcrypto_sha256 clibcrypto_sha256;

/// NULL when libcrypto failed.
clibcrypto_sha256 *_Nullable clibcrypto_sha256_new(void);
void clibcrypto_sha256_free(clibcrypto_sha256 *_Nullable hash);

/// Each: 1 done, -1 libcrypto failed.
int clibcrypto_sha256_begin(clibcrypto_sha256 *_Nonnull hash);
int clibcrypto_sha256_update(clibcrypto_sha256 *_Nonnull hash, const void *_Nullable bytes, size_t count);
/// Writes 32 bytes.
int clibcrypto_sha256_end(clibcrypto_sha256 *_Nonnull hash, uint8_t *_Nonnull digest);

/// HMAC-SHA256 (RFC 2104) of a message; writes 32 bytes. 1 done, -1 libcrypto failed.
int clibcrypto_hmac_sha256(const uint8_t *_Nonnull secret, size_t secret_count, const uint8_t *_Nullable message,
                           size_t count, uint8_t *_Nonnull digest);

/// Whether both are the same, in a time that does not tell where they differ.
int clibcrypto_is_equal(const void *_Nonnull left, const void *_Nonnull right, size_t count);

/// The curves Apple signs postbacks with. The raw value is the size of a field element, and of a scalar, in bytes.
typedef enum {
  clibcrypto_p192 = 24,
  clibcrypto_p256 = 32,
} clibcrypto_curve;

/// A public key that any number of threads may verify with at once.
typedef struct clibcrypto_public_key clibcrypto_public_key;

/// Makes the key of a point (SEC 1, section 2.3.3: compressed or uncompressed).
/// 1 made, 0 not a point of the curve or the one at infinity, -1 libcrypto failed.
int clibcrypto_public_key_new(clibcrypto_curve curve, const uint8_t *_Nonnull point, size_t count,
                              clibcrypto_public_key *_Nullable *_Nonnull key);
void clibcrypto_public_key_free(clibcrypto_public_key *_Nullable key);

/// Verifies an ECDSA-Sig-Value of a 32-byte digest. The caller makes sure that the signature is strict DER and that
/// neither integer is negative, and so has told malformed signatures from invalid ones already.
/// 1 valid, 0 invalid, -1 libcrypto failed.
int clibcrypto_verify(const clibcrypto_public_key *_Nonnull key, const uint8_t *_Nonnull digest,
                      const uint8_t *_Nonnull signature, size_t count);

/// Multiples of a curve's generator, with which any number of threads may verify and search at once.
typedef struct clibcrypto_generator clibcrypto_generator;

/// NULL when libcrypto failed.
clibcrypto_generator *_Nullable clibcrypto_generator_new(clibcrypto_curve curve);
void clibcrypto_generator_free(clibcrypto_generator *_Nullable generator);

/// Whether there are tables for the generator, which were checked whole: nothing is verified with tables otherwise.
int clibcrypto_generator_has_tables(const clibcrypto_generator *_Nonnull generator);

/// Tables of multiples of a public key's point, with which any number of threads may verify at once.
typedef struct clibcrypto_fixed_base clibcrypto_fixed_base;

/// Builds the tables (150 KB and some 30 ms on P-256), and checks them whole: multiplies by scalars that use every entry,
/// and holds what comes out against multiplication without tables. So what they say of a signature can be believed.
/// NULL where this libcrypto offers no tables, where they do not give what it computes without, or where it failed.
clibcrypto_fixed_base *_Nullable clibcrypto_fixed_base_new(const clibcrypto_public_key *_Nonnull key,
                                                           const clibcrypto_generator *_Nonnull generator);
void clibcrypto_fixed_base_free(clibcrypto_fixed_base *_Nullable base);

/// What a thread needs to verify batches, one after the other, of any keys.
typedef struct clibcrypto_batch clibcrypto_batch;

/// NULL when libcrypto failed.
clibcrypto_batch *_Nullable clibcrypto_batch_new(void);
void clibcrypto_batch_free(clibcrypto_batch *_Nullable batch);

/// Some of an array of signatures of one curve, each with digests of which it may be.
typedef struct {
  /// r, then s, curve bytes each.
  const uint8_t *_Nonnull signatures;

  /// 32 bytes each; those of signature i are the ones from digest_starts[i] to below digest_starts[i + 1].
  const uint8_t *_Nonnull digests;
  const uint32_t *_Nonnull digest_starts;

  /// Which signatures are meant: `count` indices.
  const uint32_t *_Nonnull which;
  size_t count;
} clibcrypto_signatures;

typedef enum {
  /// None of the keys signed any of the digests.
  clibcrypto_not_signed = 0,

  /// The key signed the digest.
  clibcrypto_signed = 1,

  /// If one of the keys signed one of the digests, it is these. clibcrypto_verify decides.
  clibcrypto_to_be_asked = 2,
} clibcrypto_answer;

/// What is known of a signature: the answer, and of which key and which of the signature's digests, by index.
typedef struct {
  clibcrypto_answer answer;
  uint32_t digest, key;
} clibcrypto_finding;

/// The most keys that signatures are verified with at once.
enum { clibcrypto_most_bases = 16 };

/// Verifies signatures of each of their digests with each of the bases, at most `clibcrypto_most_bases`, which are on the
/// generator's curve. Writes a finding for each that is meant. Per signature it computes u1 G once for each digest and u2 Q
/// once for each base.
/// 1 done, -1 libcrypto failed, and nothing is known.
int clibcrypto_batch_verify(clibcrypto_batch *_Nonnull batch, const clibcrypto_generator *_Nonnull generator,
                            const clibcrypto_fixed_base *_Nonnull const *_Nonnull bases, size_t base_count,
                            const clibcrypto_signatures *_Nonnull signatures, clibcrypto_finding *_Nonnull findings);

/// Recovers the keys that signatures would be right for (SEC 1, section 4.1.6) and looks for them among `keys`: of each the
/// x of its point, curve bytes. Costs as much as some eight bases, whatever the number of keys, and takes no tables of
/// them. Never says `clibcrypto_signed`.
/// 1 done, -1 libcrypto failed or has no tables for the generator, and nothing is known.
int clibcrypto_batch_recover(clibcrypto_batch *_Nonnull batch, const clibcrypto_generator *_Nonnull generator,
                             const uint8_t *_Nonnull keys, size_t key_count,
                             const clibcrypto_signatures *_Nonnull signatures, clibcrypto_finding *_Nonnull findings);

/// Writes the x of e G, curve bytes, where e is the number that a 32-byte digest stands for; zeros where e is 0 modulo n.
/// 1 done, -1 libcrypto failed.
int clibcrypto_generator_x(const clibcrypto_generator *_Nonnull generator, const uint8_t *_Nonnull digest,
                           uint8_t *_Nonnull x);

/// One signature, and what a digest has to be for it to be right. For one thread.
///
/// A signature (r, s) fits a digest e where e G = s R - r Q, Q being the key's point and R one of the two whose x is r.
/// So a key and a signature make two points, and whether the signature is of a digest takes one multiple of the
/// generator, whatever the number of keys. An r of which n was taken away (one of 2^96, or 2^128) finds nothing.
typedef struct clibcrypto_search clibcrypto_search;

/// `signature`: r, then s, curve bytes each.
/// 1 made, 0 no digest has that signature: r or s is out of range or r is no point's x, -1 libcrypto failed.
int clibcrypto_search_new(const clibcrypto_generator *_Nonnull generator, const uint8_t *_Nonnull signature,
                          clibcrypto_search *_Nullable *_Nonnull search);
void clibcrypto_search_free(clibcrypto_search *_Nullable search);

/// Adds a key of the curve that may have signed; at most 64. Writes the x of both points, curve bytes each, zeros for
/// infinity.
/// 1 done, -1 libcrypto failed, or there are too many keys.
int clibcrypto_search_add(clibcrypto_search *_Nonnull search, const clibcrypto_public_key *_Nonnull key,
                          uint8_t *_Nonnull points);

/// Sets `found` to the first of `count` digests, 32 bytes each, that one of the keys may have signed, or to `count`. It is
/// clibcrypto_verify that says whether one did.
/// 1 done, -1 libcrypto failed.
int clibcrypto_search_find(clibcrypto_search *_Nonnull search, const uint8_t *_Nonnull digests, size_t count,
                           size_t *_Nonnull found);

/// A private key that any number of threads may sign with at once.
typedef struct clibcrypto_signing_key clibcrypto_signing_key;

/// Makes the key of a big-endian scalar in as many bytes as the curve's raw value, and writes its public point
/// uncompressed: 1 + 2 * curve bytes.
/// 1 made, 0 the scalar is 0 or not below the curve's order, -1 libcrypto failed.
int clibcrypto_signing_key_new(clibcrypto_curve curve, const uint8_t *_Nonnull scalar, uint8_t *_Nonnull point,
                               clibcrypto_signing_key *_Nullable *_Nonnull key);
void clibcrypto_signing_key_free(clibcrypto_signing_key *_Nullable key);

/// Signs a 32-byte digest with the nonce of RFC 6979; writes r and s, curve bytes each. 1 done, -1 libcrypto failed.
int clibcrypto_sign(const clibcrypto_signing_key *_Nonnull key, const uint8_t *_Nonnull digest,
                    uint8_t *_Nonnull signature);

/// Writes bytes fit for a private key. 1 done, -1 libcrypto failed.
int clibcrypto_random(uint8_t *_Nonnull bytes, size_t count);

/// The library and its version, such as "OpenSSL 3.0.15 3 Sep 2024".
const char *_Nonnull clibcrypto_version(void);
