#include "CCurl.h"

#include "library.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

struct ccurl_functions ccurl_library;

static const cloading_function functions[] = {CCURL_FUNCTIONS(CLOADING_ENTRY)};

int ccurl_open(void) {
  if (cloading_open("libcurl.so.4", functions, sizeof functions / sizeof *functions) != NULL) return 0;
  return library.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

typedef struct transfer {
  CURL *easy;
  ccurl_client *client;
  int64_t number;
  struct curl_slist *headers;
  size_t read_count, kept_count;
  /// 1 if the request was sent once; 1 if the library wanted to send it again; 1 if an address was refused; 1 if the response asks for a longer wait than a number can tell.
  int is_sent, is_repeated, is_refused, waits_longest;
  /// 1 if the response counts only with its whole body; 1 if its head is complete.
  int needs_body, has_head;
  char message[CURL_ERROR_SIZE];
  uint8_t kept[ccurl_kept_bytes];
  struct transfer *next, *previous;
} transfer;

struct ccurl_client {
  CURLM *multi;
  ccurl_allows allows;
  void *owner;
  /// The transfers in progress, and those that can be used again.
  transfer *running, *idle;
};

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  transfer *transfer = context;
  const size_t all = size * count;
  const size_t room = sizeof transfer->kept - transfer->kept_count;
  const size_t kept = all < room ? all : room;
  memcpy(transfer->kept + transfer->kept_count, bytes, kept);
  transfer->kept_count += kept;
  transfer->read_count += all;
  // Any other number than `all` ends the transfer.
  return transfer->read_count > ccurl_read_bytes ? 0 : all;
}

/// Notes the end of the head, and a `Retry-After` of more digits than a number can have, which versions of the library read as no
/// number at all.
static size_t read_header(char *bytes, size_t size, size_t count, void *context) {
  static const char name[] = "retry-after:";
  const size_t all = size * count;
  // Another head may follow that of an interim response.
  if (all > 4 && memcmp(bytes, "HTTP/", 5) == 0) ((transfer *)context)->has_head = 0;
  if (all > 0 && (*bytes == '\r' || *bytes == '\n')) ((transfer *)context)->has_head = 1;
  if (all < sizeof name || strncasecmp(bytes, name, sizeof name - 1) != 0) return all;
  const char *digit = bytes + sizeof name - 1, *end = bytes + all;
  while (digit < end && (*digit == ' ' || *digit == '\t' || *digit == '0')) digit++;
  const char *start = digit;
  while (digit < end && *digit >= '0' && *digit <= '9') digit++;
  if (digit - start > 18) ((transfer *)context)->waits_longest = 1;
  return all;
}

static int is_allowed(transfer *transfer, const char *address) {
  if (transfer->client->allows(transfer->client->owner, transfer->number, address)) return 1;
  transfer->is_refused = 1;
  return 0;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  transfer *transfer = context;
  char text[INET6_ADDRSTRLEN];
  const void *bytes = NULL;
  if (address->family == AF_INET) bytes = &((struct sockaddr_in *)&address->addr)->sin_addr;
  if (address->family == AF_INET6) bytes = &((struct sockaddr_in6 *)&address->addr)->sin6_addr;
  if (purpose != CURLSOCKTYPE_IPCXN || bytes == NULL) return CURL_SOCKET_BAD;
  if (inet_ntop(address->family, bytes, text, sizeof text) == NULL) return CURL_SOCKET_BAD;
  if (!is_allowed(transfer, text)) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Called before a request is sent, also over a connection that another request has opened. The library sends a request again by
/// itself where such a connection ends before the response, although the server may have read it: it is not sent twice.
static int before_request(void *context, char *address, char *local, int port, int local_port) {
  (void)local, (void)port, (void)local_port;
  transfer *transfer = context;
  if (transfer->is_sent) {
    transfer->is_repeated = 1;
    return CURL_PREREQFUNC_ABORT;
  }
  transfer->is_sent = 1;
  return is_allowed(context, address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static void release(transfer *transfer) {
  ccurl_client *client = transfer->client;
  if (transfer->previous) transfer->previous->next = transfer->next;
  if (transfer->next) transfer->next->previous = transfer->previous;
  if (client->running == transfer) client->running = transfer->next;
  library.curl_slist_free_all(transfer->headers);
  transfer->headers = NULL;
  transfer->previous = NULL;
  transfer->next = client->idle;
  client->idle = transfer;
}

ccurl_client *ccurl_new(ccurl_allows allows, void *owner) {
  if (!ccurl_open()) return NULL;
  ccurl_client *client = calloc(1, sizeof *client);
  if (client == NULL) return NULL;
  client->allows = allows;
  client->owner = owner;
  client->multi = library.curl_multi_init();
  if (client->multi == NULL) {
    free(client);
    return NULL;
  }
  library.curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, 256L);
  return client;
}

void ccurl_free(ccurl_client *client) {
  if (client == NULL) return;
  while (client->running) {
    library.curl_multi_remove_handle(client->multi, client->running->easy);
    release(client->running);
  }
  while (client->idle) {
    transfer *transfer = client->idle;
    client->idle = transfer->next;
    library.curl_easy_cleanup(transfer->easy);
    free(transfer);
  }
  library.curl_multi_cleanup(client->multi);
  free(client);
}

static transfer *idle_transfer(ccurl_client *client) {
  transfer *found = client->idle;
  if (found) {
    client->idle = found->next;
    library.curl_easy_reset(found->easy);
  } else {
    found = calloc(1, sizeof *found);
    if (found == NULL) return NULL;
    found->easy = library.curl_easy_init();
    if (found->easy == NULL) {
      free(found);
      return NULL;
    }
    found->client = client;
  }
  found->read_count = found->kept_count = 0;
  found->is_sent = found->is_repeated = found->is_refused = found->waits_longest = found->has_head = 0;
  found->message[0] = 0;
  found->previous = NULL;
  found->next = client->running;
  if (client->running) client->running->previous = found;
  client->running = found;
  return found;
}

int ccurl_limit_protocols(CURL *easy, CURLoption option, CURLoption older, int allows_http) {
  const CURLcode code = library.curl_easy_setopt(easy, option, allows_http ? "http,https" : "https");
  if (code != CURLE_UNKNOWN_OPTION) return code == CURLE_OK;
  const long protocols = allows_http ? CURLPROTO_HTTP | CURLPROTO_HTTPS : CURLPROTO_HTTPS;
  return library.curl_easy_setopt(easy, older, protocols) == CURLE_OK;
}

/// Sets the options of a request. Returns 1 if all of them were accepted.
static int prepare(transfer *transfer, const ccurl_request *request) {
  CURL *easy = transfer->easy;
  int failures = 0;
#define SET(option, value) (failures += library.curl_easy_setopt(easy, option, value) != CURLE_OK)
  for (size_t index = 0; index < request->header_count; index++) {
    struct curl_slist *longer = library.curl_slist_append(transfer->headers, request->headers[index]);
    if (longer == NULL) return 0;
    transfer->headers = longer;
  }
  // Without this line the library asks before a long body, and waits for an answer.
  struct curl_slist *all = library.curl_slist_append(transfer->headers, "Expect:");
  if (all == NULL) return 0;
  transfer->headers = all;
  SET(CURLOPT_URL, request->url);
  failures += !ccurl_limit_protocols(easy, CURLOPT_PROTOCOLS_STR, CURLOPT_PROTOCOLS, 1);
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_PROXY, "");
  SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_PATH_AS_IS, 1L);
  SET(CURLOPT_TIMEOUT_MS, request->timeout);
  SET(CURLOPT_CONNECTTIMEOUT_MS, request->timeout);
  SET(CURLOPT_HTTPHEADER, transfer->headers);
  SET(CURLOPT_ERRORBUFFER, transfer->message);
  SET(CURLOPT_PRIVATE, (void *)transfer);
  SET(CURLOPT_WRITEFUNCTION, keep);
  SET(CURLOPT_WRITEDATA, (void *)transfer);
  SET(CURLOPT_HEADERFUNCTION, read_header);
  SET(CURLOPT_HEADERDATA, (void *)transfer);
  SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  SET(CURLOPT_OPENSOCKETDATA, (void *)transfer);
  SET(CURLOPT_PREREQFUNCTION, before_request);
  SET(CURLOPT_PREREQDATA, (void *)transfer);
  // Servers close idle connections, some after five seconds. A request on its way then would get no response.
  SET(CURLOPT_MAXAGE_CONN, 3L);
  if (request->is_post) {
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_count);
    SET(CURLOPT_COPYPOSTFIELDS, request->body_count ? (const char *)request->body : "");
  } else {
    SET(CURLOPT_HTTPGET, 1L);
  }
#undef SET
  return failures == 0;
}

int ccurl_begin(ccurl_client *client, const ccurl_request *request) {
  transfer *transfer = idle_transfer(client);
  if (transfer == NULL) return -1;
  transfer->number = request->number;
  transfer->needs_body = request->needs_body;
  if (prepare(transfer, request) && library.curl_multi_add_handle(client->multi, transfer->easy) == CURLM_OK) return 1;
  release(transfer);
  return -1;
}

static void finish(transfer *transfer, CURLcode code, ccurl_finished finished) {
  ccurl_client *client = transfer->client;
  long status = 0;
  curl_off_t retry_after = 0;
  library.curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
  library.curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &retry_after);
  // More of a body than is read says nothing about the response.
  if (code == CURLE_WRITE_ERROR && transfer->read_count > ccurl_read_bytes) code = CURLE_OK;
  const int is_final = transfer->has_head && status >= 200;
  if (is_final && !transfer->needs_body) code = CURLE_OK;
  // A connection that is closed within a head, or behind that of an interim response, is none for the library.
  if (!is_final && code == CURLE_OK) code = CURLE_WEIRD_SERVER_REPLY;
  const char *error = NULL;
  if (code != CURLE_OK) error = transfer->message[0] ? transfer->message : library.curl_easy_strerror(code);
  if (code != CURLE_OK && transfer->is_repeated) error = "the server closed the connection before it answered";
  if (code != CURLE_OK && transfer->is_refused) error = "the address is not a public one, and allow_addresses does not have it";
  const ccurl_result result = {
      .number = transfer->number,
      .status = code == CURLE_OK ? (int)status : 0,
      .retry_after = code != CURLE_OK ? 0 : transfer->waits_longest ? INT64_MAX : (int64_t)retry_after,
      .error = error,
      .body = transfer->kept,
      .body_count = transfer->kept_count,
  };
  finished(client->owner, &result);
  library.curl_multi_remove_handle(client->multi, transfer->easy);
  release(transfer);
}

int ccurl_run(ccurl_client *client, int timeout, int interrupt, ccurl_finished finished) {
  int running = 0, left = 0;
  if (library.curl_multi_perform(client->multi, &running) != CURLM_OK) return -1;
  CURLMsg *message = library.curl_multi_info_read(client->multi, &left);
  if (message == NULL) {
    struct curl_waitfd wait = {.fd = interrupt, .events = CURL_WAIT_POLLIN};
    if (library.curl_multi_poll(client->multi, &wait, interrupt < 0 ? 0 : 1, timeout, NULL) != CURLM_OK) return -1;
    if (library.curl_multi_perform(client->multi, &running) != CURLM_OK) return -1;
    message = library.curl_multi_info_read(client->multi, &left);
  }
  for (; message != NULL; message = library.curl_multi_info_read(client->multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    transfer *transfer = NULL;
    library.curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
    finish(transfer, message->data.result, finished);
  }
  return 1;
}

const char *ccurl_version(void) { return LIBCURL_VERSION; }
