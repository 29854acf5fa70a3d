/// A shim over libcurl: HTTP requests that run at the same time on one thread. It exposes no type of the library.
///
/// Requests go to http and https addresses only. Redirects are not followed, and neither proxies nor passwords are taken from
/// the environment or from files.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The requests of one thread, with the connections that they share.
typedef struct ccurl_client ccurl_client;

/// A request. All memory is copied.
typedef struct {
  /// The number by which the result is recognised.
  int64_t number;
  const char *_Nonnull url;
  /// 1 for POST, 0 for GET.
  int is_post;
  /// The body of a POST.
  const uint8_t *_Nullable body;
  size_t body_count;
  /// Lines such as `content-type: application/json`, without line ends.
  const char *_Nonnull const *_Nonnull headers;
  size_t header_count;
  /// The time in milliseconds in which the whole request must be complete.
  long timeout;
} ccurl_request;

/// The result of a request.
typedef struct {
  int64_t number;
  /// The status of the response; 0 if there is none.
  int status;
  /// The seconds of `Retry-After`; 0 if the response does not have it, INT64_MAX if they have more than 18 digits.
  int64_t retry_after;
  /// The reason why there is no whole response; NULL if there is one.
  const char *_Nullable error;
  /// The first bytes of the body, at most `ccurl_kept_bytes`.
  const uint8_t *_Nullable body;
  size_t body_count;
} ccurl_result;

/// The bytes of a body that are kept. After `ccurl_read_bytes` the rest is not read.
enum { ccurl_kept_bytes = 4096, ccurl_read_bytes = 65536 };

/// Decides if the request with this number may connect to an IP address, which is written as text; 1 or 0. It is asked for
/// the address that the connection really uses, after the name was resolved, also if a connection is used again.
typedef int (*ccurl_allows)(void *_Nonnull owner, int64_t number, const char *_Nonnull address);

/// Receives a result, whose memory is valid during the call.
typedef void (*ccurl_finished)(void *_Nonnull owner, const ccurl_result *_Nonnull result);

/// Returns NULL if the library failed. `owner` is the argument of `allows`, which is called only during `ccurl_run`.
ccurl_client *_Nullable ccurl_new(ccurl_allows _Nonnull allows, void *_Nonnull owner);
/// Ends all requests without results, and closes all connections.
void ccurl_free(ccurl_client *_Nullable client);

/// Begins a request. Returns 1, or -1 if the library failed.
int ccurl_begin(ccurl_client *_Nonnull client, const ccurl_request *_Nonnull request);

/// Continues all requests: waits for at most `timeout` milliseconds until one of them can go on, or the descriptor `interrupt`
/// can be read, unless it is negative. Calls `finished` for each one that ends. Returns 1, or -1 if the library failed.
int ccurl_run(ccurl_client *_Nonnull client, int timeout, int interrupt, ccurl_finished _Nonnull finished);

/// The version of the library that the program was built with, such as `7.88.1`.
const char *_Nonnull ccurl_version(void);
