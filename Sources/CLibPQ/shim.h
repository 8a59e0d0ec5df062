#ifndef KITH_CLIBPQ_SHIM_H
#define KITH_CLIBPQ_SHIM_H

// Under the name that needs no search path of its own on Debian.
#include <postgresql/libpq-fe.h>

// The codes of error fields are macros of character literals, which Swift does not import.
static const int kith_field_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int kith_field_sqlstate = PG_DIAG_SQLSTATE;
static const int kith_field_message = PG_DIAG_MESSAGE_PRIMARY;
static const int kith_field_detail = PG_DIAG_MESSAGE_DETAIL;
static const int kith_field_hint = PG_DIAG_MESSAGE_HINT;
static const int kith_field_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int kith_field_table = PG_DIAG_TABLE_NAME;
static const int kith_field_position = PG_DIAG_STATEMENT_POSITION;
static const int kith_field_context = PG_DIAG_CONTEXT;

#endif
