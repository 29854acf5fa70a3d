#include "library.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// The place in the head where the name of the next header must begin; NULL after the first header that is not plain.
struct plain_head {
  const char *next;
};

static enum MHD_Result follow_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_count,
                                     const char *value, size_t value_count) {
  (void)kind;
  struct plain_head *head = context;
  const char *next = head->next;
  head->next = NULL;
  if (name != next || value == NULL) return MHD_NO;
  const char *start = name + name_count + 1;
  while (*start == ' ' || *start == '\t') ++start;
  if (start != value) return MHD_NO;
  head->next = value + value_count + 2;
  return MHD_YES;
}

// Version 0.9.75 shows a head only as it understood it, and it is lenient: it appends a folded line to the *name* of the
// header before it, ends lines at a lone LF, and cuts values at a NUL. But it parses in place: method, target, version, names
// and values are in the received bytes, with NULs over colons and line ends. So they must follow each other without a gap
// from the first byte of the head to the last. Version 1.0.1 moves them, and refuses such heads itself.
int is_plain_head(struct MHD_Connection *connection, const char *method, const char *target, const char *target_end,
                  const char *version) {
  const union MHD_ConnectionInfo *size = library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  if (size == NULL || target != method + strlen(method) + 1 || version != target_end + 1) return 0;
  struct plain_head head = {version + strlen(version) + 2};
  (void)library.MHD_get_connection_values_n(connection, MHD_HEADER_KIND, follow_header, &head);
  return head.next != NULL && head.next + 2 == method + size->header_size;
}

size_t leave_target_alone(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

// MARK: - The choice of the check

struct sample {
  int is_plain;
  const char *text;
  size_t count;
};

#define SAMPLE(is_plain, text) {is_plain, text, sizeof text - 1}

static const struct sample samples[] = {
    SAMPLE(1, "GET /a?b=c&d HTTP/1.1\r\nHost: x\r\n\r\n"),
    SAMPLE(1, "GET / HTTP/1.0\r\n\r\n"),
    SAMPLE(1, "GET / HTTP/1.1\r\nHost: x\r\nA:\r\nB: \r\nC:c\r\nD: \t d e \t\r\nCookie: f=g; h=i\r\nCookie: j\r\n\r\n"),
    SAMPLE(0, "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n"),
    SAMPLE(0, "GET / HTTP/1.1\r\nHost: x\r\nA:\r\n\tb\r\nC: d\r\n\r\n"),
    SAMPLE(0, "GET / HTTP/1.1\nHost: x\r\n\r\n"),
    SAMPLE(0, "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n"),
    SAMPLE(0, "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\n"),
    SAMPLE(0, "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"),
    SAMPLE(0, "GET / HTTP/1.1\r\nHost: x\r\nA\0b: c\r\n\r\n"),
};

/// The state of the test of a sample.
struct trial {
  enum head_check check;
  const char *target_end;
  int is_accepted;
};

static void *begin_trial(void *context, const char *target, struct MHD_Connection *connection) {
  (void)connection;
  struct trial *trial = context;
  trial->target_end = target + strlen(target);
  return NULL;
}

static enum MHD_Result end_trial(void *context, struct MHD_Connection *connection, const char *target, const char *method,
                                 const char *version, const char *bytes, size_t *count, void **request) {
  (void)bytes, (void)count, (void)request;
  struct trial *trial = context;
  trial->is_accepted = trial->check == CHECKED_BY_LIBRARY ||
                       is_plain_head(connection, method, target, trial->target_end, version);
  return MHD_NO;
}

/// Tells if the library takes the sample as it should; -1 if it cannot be asked.
static int is_right(struct MHD_Daemon *daemon, struct trial *trial, const struct sample *sample) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets) != 0) return -1;
  const struct sockaddr_in address = {.sin_family = AF_INET};
  trial->is_accepted = 0;
  int result = -1;
  if (send(sockets[0], sample->text, sample->count, MSG_NOSIGNAL) == (ssize_t)sample->count &&
      library.MHD_add_connection(daemon, sockets[1], (const struct sockaddr *)&address, sizeof address) == MHD_YES) {
    for (int turn = 0; turn < 4; ++turn) (void)library.MHD_run(daemon);
    result = trial->is_accepted == sample->is_plain;
  }
  close(sockets[0]);
  (void)library.MHD_run(daemon);
  return result;
}

static int distinguishes(enum head_check check) {
  struct trial trial = {.check = check};
  struct MHD_Daemon *daemon = library.MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, end_trial, &trial,
      MHD_OPTION_STRICT_FOR_CLIENT, strictness(check),
      MHD_OPTION_URI_LOG_CALLBACK, begin_trial, &trial,
      MHD_OPTION_UNESCAPE_CALLBACK, leave_target_alone, NULL,
      MHD_OPTION_END);
  if (daemon == NULL) return 0;
  int result = 1;
  for (size_t index = 0; index < sizeof samples / sizeof *samples && result == 1; ++index) {
    result = is_right(daemon, &trial, &samples[index]);
  }
  library.MHD_stop_daemon(daemon);
  return result == 1;
}

enum head_check find_head_check(void) {
  if (distinguishes(CHECKED_BY_LIBRARY)) return CHECKED_BY_LIBRARY;
  return distinguishes(CHECKED_BY_LAYOUT) ? CHECKED_BY_LAYOUT : UNCHECKED;
}
