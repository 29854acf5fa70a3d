#define _POSIX_C_SOURCE 200809L
#include "CCurl.h"
#include "library.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct ccurl_stream {
  CURLM *multi;
  CURL *easy;
  struct curl_slist *headers;
  /// 1 while the response is being received; 1 if the library waits until the buffer has room.
  int is_running, is_paused;
  /// The result of a response that ended.
  CURLcode code;
  char message[CURL_ERROR_SIZE];
  size_t head_count, start, count;
  char head[ccurl_head_bytes];
  /// The bytes of the body that were received and not read yet: `count` of them from `start` on.
  uint8_t body[128 * 1024];
};

static size_t take_head(char *bytes, size_t size, size_t count, void *context) {
  ccurl_stream *stream = context;
  const size_t all = size * count;
  // The response to a redirected request begins a new head.
  if (all > 5 && memcmp(bytes, "HTTP/", 5) == 0) stream->head_count = 0;
  if (all <= sizeof stream->head - stream->head_count) {
    memcpy(stream->head + stream->head_count, bytes, all);
    stream->head_count += all;
  }
  return all;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  ccurl_stream *stream = context;
  const size_t all = size * count;
  if (stream->start > 0) memmove(stream->body, stream->body + stream->start, stream->count);
  stream->start = 0;
  if (all > sizeof stream->body - stream->count) {
    stream->is_paused = 1;
    return CURL_WRITEFUNC_PAUSE;
  }
  memcpy(stream->body + stream->count, bytes, all);
  stream->count += all;
  return all;
}

/// Ends the response, unless it has ended.
static void end(ccurl_stream *stream) {
  if (!stream->is_running) return;
  library.curl_multi_remove_handle(stream->multi, stream->easy);
  stream->is_running = 0;
}

static void end_with(ccurl_stream *stream, CURLcode code) {
  end(stream);
  stream->code = code;
}

ccurl_stream *ccurl_stream_new(void) {
  if (!ccurl_open()) return NULL;
  ccurl_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  stream->multi = library.curl_multi_init();
  stream->easy = library.curl_easy_init();
  if (stream->multi != NULL && stream->easy != NULL) return stream;
  ccurl_stream_free(stream);
  return NULL;
}

void ccurl_stream_free(ccurl_stream *stream) {
  if (stream == NULL) return;
  end(stream);
  if (stream->easy) library.curl_easy_cleanup(stream->easy);
  if (stream->multi) library.curl_multi_cleanup(stream->multi);
  library.curl_slist_free_all(stream->headers);
  free(stream);
}

/// Sets the options of a request. Returns 1 if all of them were accepted.
static int prepare(ccurl_stream *stream, const ccurl_stream_request *request) {
  CURL *easy = stream->easy;
  int failures = 0;
#define SET(option, value) (failures += library.curl_easy_setopt(easy, option, value) != CURLE_OK)
  library.curl_slist_free_all(stream->headers);
  stream->headers = NULL;
  for (size_t index = 0; index < request->header_count; index++) {
    struct curl_slist *longer = library.curl_slist_append(stream->headers, request->headers[index]);
    if (longer == NULL) return 0;
    stream->headers = longer;
  }
  const int allows_http = strncasecmp(request->url, "https:", 6) != 0;
  SET(CURLOPT_URL, request->url);
  failures += !ccurl_limit_protocols(easy, CURLOPT_PROTOCOLS_STR, CURLOPT_PROTOCOLS, 1);
  failures += !ccurl_limit_protocols(easy, CURLOPT_REDIR_PROTOCOLS_STR, CURLOPT_REDIR_PROTOCOLS, allows_http);
  SET(CURLOPT_FOLLOWLOCATION, (long)request->follows_redirects);
  SET(CURLOPT_MAXREDIRS, 10L);
  if (!request->uses_proxy) SET(CURLOPT_PROXY, "");
  if (request->authorities) SET(CURLOPT_CAINFO, request->authorities);
  // One connection has one response, so that a reader who is slow stops the sender.
  SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_PATH_AS_IS, 1L);
  SET(CURLOPT_FILETIME, 1L);
  SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout);
  SET(CURLOPT_HTTPHEADER, stream->headers);
  SET(CURLOPT_ERRORBUFFER, stream->message);
  SET(CURLOPT_WRITEFUNCTION, take_body);
  SET(CURLOPT_WRITEDATA, (void *)stream);
  SET(CURLOPT_HEADERFUNCTION, take_head);
  SET(CURLOPT_HEADERDATA, (void *)stream);
  SET(CURLOPT_HTTPGET, 1L);
  if (request->is_put) SET(CURLOPT_CUSTOMREQUEST, "PUT");
#undef SET
  return failures == 0;
}

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/// Waits until a part of the body is there or the response has ended, for at most `timeout` milliseconds.
static void wait_for_body(ccurl_stream *stream, int timeout) {
  const long long deadline = milliseconds() + timeout;
  while (stream->count == 0 && stream->is_running) {
    if (stream->is_paused) {
      stream->is_paused = 0;
      const CURLcode code = library.curl_easy_pause(stream->easy, CURLPAUSE_CONT);
      if (code != CURLE_OK) return end_with(stream, code);
    }
    int running = 0, left = 0;
    if (library.curl_multi_perform(stream->multi, &running) != CURLM_OK) return end_with(stream, CURLE_OUT_OF_MEMORY);
    CURLMsg *message = library.curl_multi_info_read(stream->multi, &left);
    if (message != NULL && message->msg == CURLMSG_DONE) return end_with(stream, message->data.result);
    const long long rest = deadline - milliseconds();
    if (stream->count > 0) return;
    if (rest <= 0) return end_with(stream, CURLE_OPERATION_TIMEDOUT);
    if (library.curl_multi_poll(stream->multi, NULL, 0, (int)rest, NULL) != CURLM_OK)
      return end_with(stream, CURLE_OUT_OF_MEMORY);
  }
}

/// The result for a response that has failed.
static int failure(const ccurl_stream *stream) {
  switch (stream->code) {
    case CURLE_FAILED_INIT:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT: return ccurl_stream_refused;
    default: return ccurl_stream_broken;
  }
}

int ccurl_stream_begin(ccurl_stream *stream, const ccurl_stream_request *request, ccurl_stream_response *response) {
  end(stream);
  library.curl_easy_reset(stream->easy);
  stream->is_paused = 0;
  stream->head_count = stream->start = stream->count = 0;
  stream->message[0] = 0;
  stream->code = CURLE_OUT_OF_MEMORY;
  if (!prepare(stream, request)) return ccurl_stream_refused;
  if (library.curl_multi_add_handle(stream->multi, stream->easy) != CURLM_OK) return ccurl_stream_refused;
  stream->is_running = 1;
  wait_for_body(stream, request->timeout);
  long status = 0;
  curl_off_t modified = -1, retry_after = 0;
  library.curl_easy_getinfo(stream->easy, CURLINFO_RESPONSE_CODE, &status);
  library.curl_easy_getinfo(stream->easy, CURLINFO_FILETIME_T, &modified);
  library.curl_easy_getinfo(stream->easy, CURLINFO_RETRY_AFTER, &retry_after);
  const int has_failed = !stream->is_running && stream->code != CURLE_OK;
  // A redirection that is not followed to its end is no response; a body that breaks off is found by reading.
  if (has_failed && (status == 0 || failure(stream) == ccurl_stream_refused)) return failure(stream);
  response->status = (int)status;
  response->modified = modified;
  response->retry_after = retry_after;
  response->head = stream->head;
  response->head_count = stream->head_count;
  return 1;
}

ptrdiff_t ccurl_stream_read(ccurl_stream *stream, uint8_t *buffer, size_t capacity, int timeout) {
  wait_for_body(stream, timeout);
  if (stream->count == 0) return stream->code == CURLE_OK ? 0 : failure(stream);
  const size_t count = stream->count < capacity ? stream->count : capacity;
  memcpy(buffer, stream->body + stream->start, count);
  stream->start += count;
  stream->count -= count;
  return (ptrdiff_t)count;
}

const char *ccurl_stream_error(const ccurl_stream *stream) {
  if (stream->code == CURLE_OPERATION_TIMEDOUT && stream->message[0] == 0) return "The server sends nothing";
  return stream->message[0] ? stream->message : library.curl_easy_strerror(stream->code);
}
