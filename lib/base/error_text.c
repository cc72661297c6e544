// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error_text.c - what an error is called
 */
#include <stddef.h>
#include <string.h>
#include <ext2fs/ext2_err.h>

#include "base/bfo_err.h"
#include "base/error_text.h"

#define ERRNO_END 4096L			/* the kernel has none from here on */

static const char *look_up(const struct error_table *table, errcode_t err)
{
	return err >= table->base && err - table->base < table->n_msgs
		? table->msgs[err - table->base] : NULL;
}

const char *bfo_error_text(errcode_t err)
{
	const char *text = look_up(&et_bfo_error_table, err);

	if (!text)
		text = look_up(&et_ext2_error_table, err);
	if (text)
		return text;
	return err >= 0 && err < ERRNO_END ? strerror(err) : "Unknown error";
}
