/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify_list.h - e2bfo verify A FORMAT:FILE: a tree against a manifest
 */
#ifndef E2BFO_VERIFY_VERIFY_LIST_H
#define E2BFO_VERIFY_VERIFY_LIST_H

#include "verify_options.h"

/* True if B of OPT is a manifest. */
int verify_is_list(const struct verify_options *opt);

/* Compares, tells, and returns the exit status. */
int verify_list(const struct verify_options *opt);

#endif
