/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_text.h - what an error is called
 *
 * error_message(3) knows tables that somebody has registered, for the whole process.  Here nothing
 * has to be.
 */
#ifndef BFO_BASE_ERROR_TEXT_H
#define BFO_BASE_ERROR_TEXT_H

#include <et/com_err.h>

/* Of an error of ours, of libext2fs or of errno: a text that stays.  Any thread may ask. */
const char *bfo_error_text(errcode_t err);

#endif
