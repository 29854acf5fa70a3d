#include "CMicrohttpd.h"

#include "library.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct cmicrohttpd_library library;

static const cloading_function functions[] = {FUNCTIONS(CLOADING_ENTRY)};

struct cmicrohttpd_server {
  struct MHD_Daemon *daemon;
  enum head_check check;
  cmicrohttpd_calls calls;
  void *owner;
};

enum { most_races = 1000 };

/// The place to go on at after a fatal error of the library in this thread; NULL where the process ends.
static _Thread_local jmp_buf *lost_race;

static void panicked(void *context, const char *file, unsigned int line, const char *reason) {
  (void)context;
  if (lost_race != NULL) longjmp(*lost_race, 1);
  fprintf(stderr, "Fatal error in GNU libmicrohttpd %s:%u: %s\n", file, line, reason);
  abort();
}

static cmicrohttpd_connection *wrapped(struct MHD_Connection *connection) {
  return (cmicrohttpd_connection *)connection;
}

static struct MHD_Connection *unwrapped(cmicrohttpd_connection *connection) {
  return (struct MHD_Connection *)connection;
}

static void *client_of(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static enum MHD_Result accepts(void *context, const struct sockaddr *address, socklen_t length) {
  (void)length;
  const cmicrohttpd_server *server = context;
  return server->calls.accepts(server->owner, address) ? MHD_YES : MHD_NO;
}

static void changed(void *context, struct MHD_Connection *connection, void **client,
                    enum MHD_ConnectionNotificationCode code) {
  const cmicrohttpd_server *server = context;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    if (*client != NULL) server->calls.closed(*client);
    *client = NULL;
    return;
  }
  const int socket = library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  const struct sockaddr *address =
      library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  *client = server->calls.opened(server->owner, wrapped(connection), socket, address);
}

/// Returns the end of the target, which the library hands to the first call of `handle` as the request.
static void *began(void *context, const char *target, struct MHD_Connection *connection) {
  const cmicrohttpd_server *server = context;
  void *client = client_of(connection);
  if (client != NULL) server->calls.began(client, target);
  return (void *)(target + strlen(target));
}

/// The library's callback for three events of a request: the headers, a piece of the body, and its end.
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *target, const char *method,
                              const char *version, const char *bytes, size_t *count, void **request) {
  const cmicrohttpd_server *server = context;
  void *client = client_of(connection);
  if (client == NULL) return MHD_NO;
  int result;
  if (*request != client) {
    const char *target_end = *request;
    *request = client;
    const int is_plain = server->check == CHECKED_BY_LIBRARY ||
                         is_plain_head(connection, method, target, target_end, version);
    result = server->calls.head(client, method, version, is_plain);
  } else if (*count > 0) {
    result = server->calls.body(client, (const uint8_t *)bytes, *count);
    *count = 0;
  } else {
    result = server->calls.complete(client);
  }
  return result ? MHD_YES : MHD_NO;
}

static void ended(void *context, struct MHD_Connection *connection, void **request,
                  enum MHD_RequestTerminationCode code) {
  (void)code;
  const cmicrohttpd_server *server = context;
  void *client = client_of(connection);
  if (client != NULL) server->calls.ended(client);
  *request = NULL;
}

cmicrohttpd_server *cmicrohttpd_start(int listening_socket, const cmicrohttpd_limits *limits,
                                      const cmicrohttpd_calls *calls, void *owner) {
  if (cloading_open("libmicrohttpd.so.12", functions, sizeof functions / sizeof *functions) != NULL) {
    errno = ELIBACC;
    return NULL;
  }
  const enum head_check check = find_head_check();
  if (check == UNCHECKED) {
    errno = ENOTSUP;
    return NULL;
  }
  cmicrohttpd_server *server = calloc(1, sizeof *server);
  if (server == NULL) return NULL;
  server->calls = *calls;
  server->owner = owner;
  server->check = check;
  library.MHD_set_panic_func(panicked, NULL);
  errno = 0;
  server->daemon = library.MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, accepts, server, handle, server,
      MHD_OPTION_LISTEN_SOCKET, listening_socket,
      MHD_OPTION_THREAD_POOL_SIZE, limits->threads,
      MHD_OPTION_CONNECTION_LIMIT, limits->connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits->header_bytes,
      MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds,
      MHD_OPTION_STRICT_FOR_CLIENT, strictness(check),
      MHD_OPTION_NOTIFY_CONNECTION, changed, server,
      MHD_OPTION_NOTIFY_COMPLETED, ended, server,
      MHD_OPTION_URI_LOG_CALLBACK, began, server,
      MHD_OPTION_UNESCAPE_CALLBACK, leave_target_alone, NULL,
      MHD_OPTION_END);
  if (server->daemon == NULL) {
    const int code = errno;
    free(server);
    errno = code;
    return NULL;
  }
  return server;
}

/// Stops to listen. `MHD_quiesce_daemon` tells each worker so, and then takes the listening socket out of its epoll set. A worker that
/// looks in between takes it out itself, and the library calls this a fatal error (in 1.0.1 still). It holds no lock there, and
/// the next call finds that the worker has done it.
static MHD_socket quiesce(struct MHD_Daemon *daemon) {
  jmp_buf place;
  volatile int races = 0;
  if (setjmp(place) != 0) {
    races += 1;
    sched_yield();
  }
  lost_race = races < most_races ? &place : NULL;
  const MHD_socket listening = library.MHD_quiesce_daemon(daemon);
  lost_race = NULL;
  return listening;
}

void cmicrohttpd_quiesce(cmicrohttpd_server *server, int is_shared) {
  const MHD_socket listening = quiesce(server->daemon);
  if (listening != MHD_INVALID_SOCKET && !is_shared) shutdown(listening, SHUT_RDWR);
}

void cmicrohttpd_stop(cmicrohttpd_server *server) {
  // MHD_stop_daemon closes the listening socket unless MHD_quiesce_daemon has taken it away before.
  (void)quiesce(server->daemon);
  library.MHD_stop_daemon(server->daemon);
  free(server);
}

struct visit {
  void *context;
  void (*call)(void *, const char *, size_t, const char *, size_t);
};

static enum MHD_Result visit_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_count,
                                    const char *value, size_t value_count) {
  (void)kind;
  const struct visit *visit = context;
  visit->call(visit->context, name, name_count, value, value_count);
  return MHD_YES;
}

void cmicrohttpd_headers(cmicrohttpd_connection *connection, void *context,
                         void (*visit)(void *, const char *, size_t, const char *, size_t)) {
  struct visit each = {context, visit};
  (void)library.MHD_get_connection_values_n(unwrapped(connection), MHD_HEADER_KIND, visit_header, &each);
}

void cmicrohttpd_suspend(cmicrohttpd_connection *connection) { library.MHD_suspend_connection(unwrapped(connection)); }

void cmicrohttpd_resume(cmicrohttpd_connection *connection) { library.MHD_resume_connection(unwrapped(connection)); }

/// Sends a response with headers, and gives it back to the library; NULL is refused.
static int answer(cmicrohttpd_connection *connection, unsigned int status, const cmicrohttpd_header *headers,
                  size_t header_count, struct MHD_Response *response) {
  if (response == NULL) return 0;
  int result = 1;
  for (size_t index = 0; index < header_count && result; ++index) {
    result = library.MHD_add_response_header(response, headers[index].name, headers[index].value) == MHD_YES;
  }
  if (result) result = library.MHD_queue_response(unwrapped(connection), status, response) == MHD_YES;
  library.MHD_destroy_response(response);
  return result;
}

int cmicrohttpd_answer(cmicrohttpd_connection *connection, unsigned int status, const cmicrohttpd_header *headers,
                       size_t header_count, const uint8_t *body, size_t count) {
  const enum MHD_ResponseMemoryMode mode = count > 0 ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT;
  return answer(connection, status, headers, header_count,
                library.MHD_create_response_from_buffer(count, (void *)body, mode));
}

static ssize_t read_piece(void *context, uint64_t position, char *piece, size_t room) {
  const cmicrohttpd_pieces *pieces = context;
  const size_t count = pieces->read(pieces->body, position, (uint8_t *)piece, room);
  return count > 0 ? (ssize_t)count : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void release_pieces(void *context) {
  cmicrohttpd_pieces *pieces = context;
  pieces->release(pieces->body);
  free(pieces);
}

int cmicrohttpd_answer_in_pieces(cmicrohttpd_connection *connection, unsigned int status, const cmicrohttpd_header *headers,
                                 size_t header_count, const cmicrohttpd_pieces *pieces) {
  cmicrohttpd_pieces *kept = malloc(sizeof *kept);
  struct MHD_Response *response = NULL;
  if (kept != NULL) {
    *kept = *pieces;
    response = library.MHD_create_response_from_callback(kept->count, kept->room, read_piece, kept, release_pieces);
  }
  if (response == NULL) {
    free(kept);
    pieces->release(pieces->body);
  }
  return answer(connection, status, headers, header_count, response);
}

uint32_t cmicrohttpd_version(void) { return MHD_VERSION; }

const char *cmicrohttpd_loaded_version(void) {
  return library.MHD_get_version == NULL ? "" : library.MHD_get_version();
}
