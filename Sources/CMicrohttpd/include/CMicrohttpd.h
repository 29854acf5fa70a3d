/// A shim over GNU libmicrohttpd: a server on a listening socket, with one callback for each step of a request. It exposes
/// no type of the library.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct cmicrohttpd_server cmicrohttpd_server;
/// A connection of the library, valid from `opened` to `closed`.
typedef struct cmicrohttpd_connection cmicrohttpd_connection;

/// The callbacks, which the library calls on its own threads. An address is a sockaddr, whose header belongs to another
/// module. `owner` is the argument of cmicrohttpd_start, `client` the result of `opened`.
typedef struct cmicrohttpd_calls {
  /// Decides about a new connection: 1 to accept it, 0 to close it.
  int (*_Nonnull accepts)(void *_Nonnull owner, const void *_Nonnull address);
  /// Called for an accepted connection. The result identifies it in all other callbacks.
  void *_Nonnull (*_Nonnull opened)(void *_Nonnull owner, cmicrohttpd_connection *_Nonnull connection, int socket,
                                   const void *_Nonnull address);
  /// Called at the end of a connection, whose socket is closed on return.
  void (*_Nonnull closed)(void *_Nonnull client);
  /// Called at the start of a request. `target` is as it was sent: not decoded, with its query.
  void (*_Nonnull began)(void *_Nonnull client, const char *_Nonnull target);
  /// Called after the last header. `is_plain` is 0 if the head has something that `cmicrohttpd_headers` does not show: a
  /// folded line, a line that does not end in CR LF, or a NUL. Like the next two it returns 1 to continue, or 0 to close
  /// the connection.
  int (*_Nonnull head)(void *_Nonnull client, const char *_Nonnull method, const char *_Nonnull version, int is_plain);
  /// Called for each piece of the body.
  int (*_Nonnull body)(void *_Nonnull client, const uint8_t *_Nonnull bytes, size_t count);
  /// Called after the whole body, and again after the connection is resumed.
  int (*_Nonnull complete)(void *_Nonnull client);
  /// Called at the end of a request, whether it was answered or not.
  void (*_Nonnull ended)(void *_Nonnull client);
} cmicrohttpd_calls;

typedef struct cmicrohttpd_limits {
  unsigned int threads;
  /// The number of concurrent connections. Further ones wait to be accepted.
  unsigned int connections;
  /// The memory of a connection, about the limit for a request line and headers together.
  size_t header_bytes;
  /// The time after which an idle connection is closed.
  unsigned int idle_seconds;
} cmicrohttpd_limits;

/// Starts a server on a listening socket, which still belongs to the caller and must outlive the server. Returns NULL, with
/// errno set, if the library failed; with ENOTSUP, if it reads heads of requests in a way that cannot be checked.
cmicrohttpd_server *_Nullable cmicrohttpd_start(int listening_socket, const cmicrohttpd_limits *_Nonnull limits,
                                                const cmicrohttpd_calls *_Nonnull calls, void *_Nonnull owner);
/// Accepts no more connections. Accepted ones continue. Those that wait to be accepted are refused, or if `is_shared` is not
/// 0, they are left to other processes that have the listening socket.
void cmicrohttpd_quiesce(cmicrohttpd_server *_Nonnull server, int is_shared);
/// Closes all connections, none of which may be suspended, and waits for the threads. The listening socket stays open.
void cmicrohttpd_stop(cmicrohttpd_server *_Nonnull server);

/// Calls `visit` with each header of the request. Call it only in `head`.
void cmicrohttpd_headers(cmicrohttpd_connection *_Nonnull connection, void *_Nonnull context,
                         void (*_Nonnull visit)(void *_Nonnull context, const char *_Nonnull name, size_t name_count,
                                               const char *_Nullable value, size_t value_count));

/// Suspends the connection: no callback is called for it until it is resumed, from any thread. Call it only in `complete`.
void cmicrohttpd_suspend(cmicrohttpd_connection *_Nonnull connection);
void cmicrohttpd_resume(cmicrohttpd_connection *_Nonnull connection);

typedef struct cmicrohttpd_header {
  const char *_Nonnull name;
  const char *_Nonnull value;
} cmicrohttpd_header;

/// Answers a request, in `head` or `complete`. Copies its arguments. An answer in `head` to a request with a body closes the
/// connection afterwards. Returns 1, or 0 if the library refused.
int cmicrohttpd_answer(cmicrohttpd_connection *_Nonnull connection, unsigned int status,
                       const cmicrohttpd_header *_Nullable headers, size_t header_count,
                       const uint8_t *_Nullable body, size_t count);

/// A body of `count` bytes that the library takes in pieces while the client reads it, so that no copy of it is made.
typedef struct cmicrohttpd_pieces {
  uint64_t count;
  /// The largest number of bytes in a piece.
  size_t room;
  void *_Nonnull body;
  /// Copies at most `room` bytes of the body from `position` on, and returns their number. Called on the server's threads.
  size_t (*_Nonnull read)(void *_Nonnull body, uint64_t position, uint8_t *_Nonnull piece, size_t room);
  /// Called once, when the library needs the body no longer.
  void (*_Nonnull release)(void *_Nonnull body);
} cmicrohttpd_pieces;

/// Answers a request as `cmicrohttpd_answer` does, with a body in pieces, which is released in any case.
int cmicrohttpd_answer_in_pieces(cmicrohttpd_connection *_Nonnull connection, unsigned int status,
                                 const cmicrohttpd_header *_Nullable headers, size_t header_count,
                                 const cmicrohttpd_pieces *_Nonnull pieces);

/// The version of the library that the program was built with, such as 0x00097500 for 0.9.75.
uint32_t cmicrohttpd_version(void);
/// The version of the library that was loaded, such as "0.9.75"; empty before cmicrohttpd_start.
const char *_Nonnull cmicrohttpd_loaded_version(void);
