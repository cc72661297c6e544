// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_hasher.c - base/hasher against known values, in pieces, file after file; base/base64
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/hasher.h"
#include "base/text.h"
#include "unit.h"

#define BOTH (BFO_SUM_SHA256 | BFO_SUM_MD5)

/* FIPS 180-2, B.1 to B.3, and RFC 1321, A.5, where they have the same bytes. */
static const struct {
	const char *text, *sha256, *md5;
} known[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	  "d41d8cd98f00b204e9800998ecf8427e" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	  "900150983cd24fb0d6963f7d28e17f72" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", NULL },
	{ "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
	  NULL, "57edf4a22be3c955ac49da2e2107b67a" },
};

static void want_hex(const uint8_t *sum, size_t size, const char *hex)
{
	char text[65] = "";

	bfo_text_put_hex(sum, size, text);
	if (hex)
		ck_assert_str_eq(text, hex);
}

START_TEST(knows_known_values)
{
	struct bfo_hasher h;
	struct bfo_sums sums;
	size_t i, at;

	want_ok(bfo_hasher_open(&h, BOTH));
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (at = 0; known[i].text[at]; at++)
			bfo_hasher_add(&h, known[i].text + at, 1);
		bfo_hasher_end(&h, &sums);
		want_eq(sums.which, BOTH);
		want_hex(sums.sha256, sizeof(sums.sha256), known[i].sha256);
		want_hex(sums.md5, sizeof(sums.md5), known[i].md5);
	}
	bfo_hasher_close(&h);
}
END_TEST

/* Only what was asked for is known; the rest is zero, whatever stood there. */
START_TEST(takes_one_alone)
{
	struct bfo_hasher h;
	struct bfo_sums sums;
	static const uint8_t zeroes[BFO_SHA256_BYTES];

	memset(&sums, 0xff, sizeof(sums));
	want_ok(bfo_hasher_open(&h, BFO_SUM_MD5));
	bfo_hasher_add(&h, "abc", 3);
	bfo_hasher_end(&h, &sums);
	want_eq(sums.which, BFO_SUM_MD5);
	want_hex(sums.md5, sizeof(sums.md5), known[1].md5);
	want_mem(sums.sha256, zeroes, sizeof(zeroes));
	bfo_hasher_close(&h);
	want_ok(bfo_hasher_open(&h, BFO_SUM_SHA256));
	bfo_hasher_add(&h, "abc", 3);
	bfo_hasher_end(&h, &sums);
	want_eq(sums.which, BFO_SUM_SHA256);
	want_hex(sums.sha256, sizeof(sums.sha256), known[1].sha256);
	want_mem(sums.md5, zeroes, sizeof(sums.md5));
	bfo_hasher_close(&h);
}
END_TEST

/* Data around a hole, of lengths around the steps, as one row of bytes. */
START_TEST(adds_zeroes)
{
	static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 200000 };
	struct bfo_sums holes, bytes;
	struct bfo_hasher h;
	char *zeroes = unit_alloc(200000);
	size_t i;

	want_ok(bfo_hasher_open(&h, BOTH));
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		bfo_hasher_add(&h, "before", 6);
		bfo_hasher_add_zeroes(&h, lengths[i]);
		bfo_hasher_add(&h, "behind", 6);
		bfo_hasher_end(&h, &holes);
		bfo_hasher_add(&h, "before", 6);
		bfo_hasher_add(&h, zeroes, lengths[i]);
		bfo_hasher_add(&h, "behind", 6);
		bfo_hasher_end(&h, &bytes);
		want_mem(&holes, &bytes, sizeof(holes));
	}
	bfo_hasher_close(&h);
	free(zeroes);
}
END_TEST

START_TEST(does_not_allocate_for_each)
{
	struct bfo_hasher h;
	struct bfo_sums sums;
	size_t before, i;

	want_ok(bfo_hasher_open(&h, BOTH));
	bfo_hasher_add(&h, "abc", 3);
	bfo_hasher_end(&h, &sums);
	before = mallinfo2().uordblks;
	for (i = 0; i < 1000; i++) {
		bfo_hasher_add(&h, "abc", 3);
		bfo_hasher_end(&h, &sums);
	}
	want_eq(mallinfo2().uordblks, before);
	bfo_hasher_close(&h);
	want(mallinfo2().uordblks < before);
}
END_TEST

START_TEST(says_what_is_not_built)
{
	struct bfo_hasher h;

	want_err(bfo_hasher_open(&h, BFO_SUM_SHA256), BFO_ET_NO_LIBGCRYPT);
	want(!h.md);
	bfo_hasher_close(&h);
}
END_TEST

/* RFC 4648, 10. */
START_TEST(knows_base64)
{
	static const char *const rows[][2] = {
		{ "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfd", "//79" },
	};
	char out[16];
	size_t i, at, len, n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		len = strlen(rows[i][0]);
		for (at = 0; at < len; at += 3) {
			bfo_base64_put(rows[i][0] + at, len - at, out);
			want_mem(out, rows[i][1] + at / 3 * 4, 4);
		}
		want(bfo_base64_get(rows[i][1], strlen(rows[i][1]), out, &n));
		want_eq(n, len);
		want_mem(out, rows[i][0], len);
	}
	want(bfo_base64_get("", 0, out, &n));
	want_eq(n, 0);
}
END_TEST

START_TEST(refuses_base64)
{
	static const char *const rows[] = {
		"Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm-v",
		"Zm9vZ", "=g==",
	};
	char out[16];
	size_t i, n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want(!bfo_base64_get(rows[i], strlen(rows[i]), out, &n));
}
END_TEST

Suite *hasher_suite(void)
{
	Suite *s = suite_create("hasher");

	unit_case(s, "knows_base64", knows_base64, 0);
	unit_case(s, "refuses_base64", refuses_base64, 0);
	if (!bfo_hasher_is_built()) {
		unit_case(s, "says_what_is_not_built", says_what_is_not_built, 0);
		return s;
	}
	unit_case(s, "knows_known_values", knows_known_values, 0);
	unit_case(s, "takes_one_alone", takes_one_alone, 0);
	unit_case(s, "adds_zeroes", adds_zeroes, 0);
	unit_case(s, "does_not_allocate_for_each", does_not_allocate_for_each, 0);
	return s;
}
