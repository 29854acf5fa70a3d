/// The functions of libpq, which is opened when it is first needed.
#pragma once

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/// The codes of the fields of an error that PQresultErrorField takes, as numbers, which Swift can import.
enum {
  CPQ_SQLSTATE = PG_DIAG_SQLSTATE,
  CPQ_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
  CPQ_DETAIL = PG_DIAG_MESSAGE_DETAIL,
  CPQ_CONTEXT = PG_DIAG_CONTEXT,
};

#define CPQ_FUNCTIONS(each) each(PQclear) each(PQcmdTuples) each(PQconnectPoll) each(PQconnectStartParams) \
  each(PQconnectionNeedsPassword) each(PQconninfo) each(PQconninfoFree) each(PQconninfoParse) each(PQconsumeInput) \
  each(PQerrorMessage) each(PQfinish) each(PQflush) each(PQfreemem) each(PQgetResult) each(PQgetisnull) \
  each(PQgetvalue) each(PQisBusy) each(PQnfields) each(PQntuples) each(PQputCopyData) each(PQputCopyEnd) \
  each(PQresultErrorField) each(PQresultErrorMessage) each(PQresultStatus) each(PQsendQuery) each(PQsendQueryParams) \
  each(PQsetErrorVerbosity) each(PQsetNoticeProcessor) each(PQsetnonblocking) each(PQsocket) each(PQstatus)

/// Pointers to the functions, by their names.
typedef struct {
#define CPQ_MEMBER(name) __typeof__(name) *_Nonnull name;
  CPQ_FUNCTIONS(CPQ_MEMBER)
#undef CPQ_MEMBER
} cpq_functions;

/// Returns the functions of libpq. Returns NULL, and the reason in `failure`, if it cannot be opened.
const cpq_functions *_Nullable cpq_open(const char *_Nullable *_Nonnull failure);
