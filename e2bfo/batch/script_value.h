/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script_value.h - the fields of operations, each by itself
 */
#ifndef E2BFO_BATCH_SCRIPT_VALUE_H
#define E2BFO_BATCH_SCRIPT_VALUE_H

#include "script.h"

/* What FIELD is called. */
const char *script_field_name(enum script_field field);

/* True for what is said or not, and for what JSON may have as a number. */
int script_field_is_flag(enum script_field field);
int script_field_is_number(enum script_field field);

/*
 * Reads LEN bytes at TEXT, and a NUL behind them, as FIELD, which is neither a flag nor a list.
 * Returns why they cannot be, or NULL.
 */
const char *script_value_read(enum script_field field, const char *text, size_t len,
			      struct script_value *out);

#endif
