#include <libpq-fe.h>

/// The codes of the fields of an error that PQresultErrorField takes, as numbers, which Swift can import.
enum {
  CPQ_SQLSTATE = PG_DIAG_SQLSTATE,
  CPQ_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
  CPQ_CONTEXT = PG_DIAG_CONTEXT,
};
