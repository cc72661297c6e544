/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - names from disks, and texts that hold arguments, for terminals
 */
#ifndef BFO_BASE_TEXT_H
#define BFO_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies LEN bytes into OUT as a string, control characters and backslashes as \xXX, so that no
 * terminal obeys them; cut off if it does not fit.  Returns OUT.
 */
const char *bfo_text_escape(const char *text, size_t len, char *out, size_t size);

/*
 * The same for a whole message: backslashes stay, as names in it may be escaped already.  A name by
 * itself is better escaped: only then \x0a is always a control character.
 */
const char *bfo_text_tame(const char *text, size_t len, char *out, size_t size);

/* Length of the valid UTF-8 sequence at TEXT, of at most LEN bytes, at least one; 0: none. */
int bfo_text_utf8(const void *text, size_t len);

/* True if LEN bytes are UTF-8, all of them. */
int bfo_text_is_utf8(const void *text, size_t len);

/* The value of the hexadecimal digit C, or -1. */
int bfo_text_hex(char c);

/* Writes SIZE bytes as twice as many hexadecimal digits, and no NUL, into OUT. */
void bfo_text_put_hex(const void *bytes, size_t size, char *out);

/* Reads SIZE bytes from twice as many hexadecimal digits.  Returns 0 if they are none. */
int bfo_text_get_hex(const char *digits, void *bytes, size_t size);

#define BFO_UUID_TEXT_BYTES 37

/* Writes the 16 bytes of UUID, as e2fsprogs does, into OUT of BFO_UUID_TEXT_BYTES.  Returns OUT. */
const char *bfo_text_uuid(const void *uuid, char *out);

/*
 * Reads a size, "123", "64K", "1.5G" (powers of 1024; K M G T P E, also KiB, KB).  Returns 0 if it
 * is none.
 */
int bfo_text_size(const char *text, uint64_t *bytes);

#endif
