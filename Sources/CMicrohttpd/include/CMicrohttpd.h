/// What the project uses of GNU libmicrohttpd, with no type of it in sight: a server on a socket that listens, and one call
/// for each step of a request.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cmicrohttpd_server cmicrohttpd_server;
/// A connection as the library knows it. Good from `opened` to `closed`.
typedef struct cmicrohttpd_connection cmicrohttpd_connection;

/// What the library calls, on its own threads. An address is a sockaddr: the header that has it belongs to another module. `owner` is what cmicrohttpd_start was given; `client` what `opened` gave.
typedef struct cmicrohttpd_calls {
  /// A connection came: 1 to take it, 0 to close it.
  int (*_Nonnull accepts)(void *_Nonnull owner, const void *_Nonnull address);
  /// It was taken; the result stands for it from now on.
  void *_Nonnull (*_Nonnull opened)(void *_Nonnull owner, cmicrohttpd_connection *_Nonnull connection, int socket,
                                   const void *_Nonnull address);
  /// It is over. Its socket is closed when this returns.
  void (*_Nonnull closed)(void *_Nonnull client);
  /// A request began; `target` is as it was sent: not decoded, with its query.
  void (*_Nonnull began)(void *_Nonnull client, const char *_Nonnull target);
  /// All headers are there. `is_plain` is 0 where the head holds what `cmicrohttpd_headers` does not show: a folded line, a
  /// line that does not end in CR LF, a NUL. Each of these: 1 to go on, 0 to close the connection.
  int (*_Nonnull head)(void *_Nonnull client, const char *_Nonnull method, const char *_Nonnull version, int is_plain);
  /// A piece of the body.
  int (*_Nonnull body)(void *_Nonnull client, const uint8_t *_Nonnull bytes, size_t count);
  /// All of the body is there, or the connection was resumed.
  int (*_Nonnull complete)(void *_Nonnull client);
  /// The request is over, answered or not.
  void (*_Nonnull ended)(void *_Nonnull client);
} cmicrohttpd_calls;

typedef struct cmicrohttpd_limits {
  unsigned int threads;
  /// Connections at once; more wait to be taken.
  unsigned int connections;
  /// Memory of a connection: what a request's line and headers may have, about.
  size_t header_bytes;
  /// A connection on which nothing happens for so long is closed.
  unsigned int idle_seconds;
} cmicrohttpd_limits;

/// Serves on a socket that listens, which stays the caller's and must outlive the server. NULL where the library failed,
/// with errno set.
cmicrohttpd_server *_Nullable cmicrohttpd_start(int listening_socket, const cmicrohttpd_limits *_Nonnull limits,
                                                const cmicrohttpd_calls *_Nonnull calls, void *_Nonnull owner);
/// Refuses connections from now on, also those that wait to be taken; those that are there go on.
void cmicrohttpd_quiesce(cmicrohttpd_server *_Nonnull server);
/// Closes all connections, none of which may be suspended, and waits for the threads. The listening socket stays open.
void cmicrohttpd_stop(cmicrohttpd_server *_Nonnull server);

/// Calls back with each header of the request; good in `head`.
void cmicrohttpd_headers(cmicrohttpd_connection *_Nonnull connection, void *_Nonnull context,
                         void (*_Nonnull visit)(void *_Nonnull context, const char *_Nonnull name, size_t name_count,
                                               const char *_Nullable value, size_t value_count));

/// In `complete`: nothing more is called for the connection until it is resumed, from whatever thread.
void cmicrohttpd_suspend(cmicrohttpd_connection *_Nonnull connection);
void cmicrohttpd_resume(cmicrohttpd_connection *_Nonnull connection);

typedef struct cmicrohttpd_header {
  const char *_Nonnull name;
  const char *_Nonnull value;
} cmicrohttpd_header;

/// In `head` or `complete`: answers; everything is copied. An answer in `head` to a request that has a body closes the
/// connection behind it. 1 done, 0 the library refused.
int cmicrohttpd_answer(cmicrohttpd_connection *_Nonnull connection, unsigned int status,
                       const cmicrohttpd_header *_Nullable headers, size_t header_count,
                       const uint8_t *_Nullable body, size_t count);

/// The library's version, such as "0.9.75".
const char *_Nonnull cmicrohttpd_version(void);
