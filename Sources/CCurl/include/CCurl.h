/// A shim over libcurl: HTTP requests that run at the same time on one thread. It exposes no type of the library.
///
/// Requests go to http and https addresses only, and passwords are not taken from files. The requests of a client follow no redirects
/// and use no proxy; those of a stream can.
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
  /// 1 if a response counts only with its whole body; 0 if its head is enough.
  int needs_body;
} ccurl_request;

/// The result of a request.
typedef struct {
  int64_t number;
  /// The status of the response; 0 if there is none.
  int status;
  /// The seconds of `Retry-After`; 0 if the response does not have it, INT64_MAX if they have more than 18 digits.
  int64_t retry_after;
  /// The reason why there is no response that counts; NULL if there is one.
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

/// Begins a request, which is sent at most once. Returns 1, or -1 if the library failed.
int ccurl_begin(ccurl_client *_Nonnull client, const ccurl_request *_Nonnull request);

/// Continues all requests: waits for at most `timeout` milliseconds until one of them can go on, or the descriptor `interrupt`
/// can be read, unless it is negative. Calls `finished` for each one that ends. Returns 1, or -1 if the library failed.
int ccurl_run(ccurl_client *_Nonnull client, int timeout, int interrupt, ccurl_finished _Nonnull finished);

/// One response after the other, each read piece by piece, over connections that are used again. It is slowed down by its
/// reader: it holds at most 128 KiB of a body.
typedef struct ccurl_stream ccurl_stream;

/// A request for a response that is read piece by piece. All memory is copied.
typedef struct {
  const char *_Nonnull url;
  /// 1 for a PUT without a body, 0 for GET.
  int is_put;
  /// Lines such as `range: bytes=100-`, without line ends.
  const char *_Nonnull const *_Nonnull headers;
  size_t header_count;
  /// 1 to follow up to ten redirects, from https to https alone.
  int follows_redirects;
  /// 1 to use the proxy that the environment names.
  int uses_proxy;
  /// The path of a file with the certificates of authorities; NULL for those of the system.
  const char *_Nullable authorities;
  /// The time for the connection, and the time to wait for the next byte, in milliseconds.
  long connect_timeout;
  int timeout;
} ccurl_stream_request;

/// The beginning of a response.
typedef struct {
  int status;
  /// The time of `Last-Modified` in seconds since 1970; -1 if it is unknown.
  int64_t modified;
  /// The seconds of `Retry-After`; 0 if the response does not have it.
  int64_t retry_after;
  /// The lines of the head, at most `ccurl_head_bytes`, valid until the next request.
  const char *_Nullable head;
  size_t head_count;
} ccurl_stream_response;

/// The bytes of a head that are kept.
enum { ccurl_head_bytes = 32768 };

/// The results of a failure: one after which the same request may succeed, and one that is final.
enum { ccurl_stream_broken = -1, ccurl_stream_refused = -2 };

/// Returns NULL if the library failed.
ccurl_stream *_Nullable ccurl_stream_new(void);
/// Ends the response, and closes all connections.
void ccurl_stream_free(ccurl_stream *_Nullable stream);

/// Ends the response before, sends a request, and waits for the beginning of the response. Returns 1, or a failure.
int ccurl_stream_begin(
  ccurl_stream *_Nonnull stream,
  const ccurl_stream_request *_Nonnull request,
  ccurl_stream_response *_Nonnull response
);

/// Copies the next bytes of the body. Waits for at most `timeout` milliseconds. Returns their number, 0 at the end of the
/// body, or a failure.
ptrdiff_t ccurl_stream_read(
  ccurl_stream *_Nonnull stream,
  uint8_t *_Nonnull buffer,
  size_t capacity,
  int timeout
);

/// The reason for the failure, valid until the next request.
const char *_Nonnull ccurl_stream_error(const ccurl_stream *_Nonnull stream);

/// The version of the library that the program was built with, such as `7.88.1`.
const char *_Nonnull ccurl_version(void);
