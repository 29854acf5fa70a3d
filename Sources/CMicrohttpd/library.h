/// The functions of libmicrohttpd, and the check of the heads of requests. Only for the files of this module.
#pragma once

#include <CLoading.h>
#include <microhttpd.h>

#define FUNCTIONS(each) each(MHD_add_connection) each(MHD_add_response_header) each(MHD_create_response_from_buffer) \
  each(MHD_create_response_from_callback) each(MHD_destroy_response) each(MHD_get_connection_info) each(MHD_get_connection_values_n) each(MHD_get_version) \
  each(MHD_queue_response) each(MHD_quiesce_daemon) each(MHD_resume_connection) each(MHD_run) each(MHD_set_panic_func) each(MHD_start_daemon) \
  each(MHD_stop_daemon) each(MHD_suspend_connection)

/// The functions of the library, NULL until it is open.
struct cmicrohttpd_library {
  FUNCTIONS(CLOADING_MEMBER)
};

#pragma GCC visibility push(hidden)

extern struct cmicrohttpd_library library;

/// The check for lines of a head that `MHD_get_connection_values_n` does not show as they are: folded ones, those that do not
/// end in CR LF, and those with a NUL.
enum head_check {
  /// Such heads would be accepted.
  UNCHECKED,
  /// The library refuses them.
  CHECKED_BY_LIBRARY,
  /// `is_plain_head` finds them.
  CHECKED_BY_LAYOUT
};

/// Sends plain and other heads to the library, without a network, and returns the check that distinguishes them all.
enum head_check find_head_check(void);

/// Returns the value of MHD_OPTION_STRICT_FOR_CLIENT for a check. A library that does not check heads well is not strict in
/// other matters either: it answers twice. HeadSyntax.swift has the rules then.
static inline int strictness(enum head_check check) { return check == CHECKED_BY_LIBRARY ? 1 : 0; }

/// Tells if a head is nothing but a request line, header lines and an empty line, each ending in CR LF.
int is_plain_head(struct MHD_Connection *connection, const char *method, const char *target, const char *target_end,
                  const char *version);

/// Leaves a target as it was sent, without decoding; for MHD_OPTION_UNESCAPE_CALLBACK.
size_t leave_target_alone(void *context, struct MHD_Connection *connection, char *text);

#pragma GCC visibility pop
