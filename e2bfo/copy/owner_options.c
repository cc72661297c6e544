// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owner_options.c - options that say who is going to own what is copied
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "e2bfo/argument.h"
#include "e2bfo/commands.h"
#include "job/owners.h"
#include "owner_options.h"

static int no_memory(void)
{
	message("%s while reading options", strerror(ENOMEM));
	return EXIT_FAILED;
}

/* Appends KEY, VALUE and a NUL, which the next word replaces. */
static int add(bfo_chars *text, const char *key, const char *value)
{
	size_t len = strlen(key) + 1 + strlen(value);

	if (bfo_vec_reserve(text, len + 2))
		return no_memory();
	if (text->n)
		text->v[text->n++] = ' ';
	text->n += sprintf(text->v + text->n, "%s=%s", key, value);
	return -1;
}

static int is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

static int add_id(const char *command, bfo_chars *text, const char *key, const char *name)
{
	const struct passwd *user = NULL;
	const struct group *group = NULL;
	char number[16];

	if (is_number(name))
		return add(text, key, name);
	if (!strcmp(key, "owner"))
		user = getpwnam(name);
	else
		group = getgrnam(name);
	if (!user && !group)
		return argument_complain(command, "--owner: this machine knows no %s %s",
					 strcmp(key, "owner") ? "group" : "user", name);
	snprintf(number, sizeof(number), "%u", user ? user->pw_uid : group->gr_gid);
	return add(text, key, number);
}

static int add_owner(const char *command, bfo_chars *text, const char *value)
{
	const char *colon = strchr(value, ':');
	char *user = strndup(value, colon ? (size_t) (colon - value) : strlen(value));
	int status = user ? -1 : no_memory();

	if (status < 0 && *user)
		status = add_id(command, text, "owner", user);
	if (status < 0 && colon && colon[1])
		status = add_id(command, text, "group", colon + 1);
	free(user);
	return status;
}

static int complain(const char *command, const char *what, const char *value)
{
	return argument_complain(command, "--%s %s: %s", what, value, !strcmp(what, "owner") ?
				 "not USER, USER:GROUP or :GROUP" :
				 "not FROM:TO:COUNT, or FROM overlaps another range");
}

int owner_option(const char *command, bfo_chars *text, const char *what, const char *value)
{
	int status, is_owner = !strcmp(what, "owner");
	struct bfo_amend amend = { 0 };
	errcode_t err;

	if (!*value || value[strlen(value) - 1] == ':' ||
	    (!is_owner && value[strspn(value, "0123456789:")]))
		return complain(command, what, value);
	if (is_owner)
		status = add_owner(command, text, value);
	else
		status = add(text, what + strlen("map-"), value);
	if (status >= 0)
		return status;
	err = bfo_owners_read(text->v, &amend);
	bfo_owners_free(&amend);
	return !err ? -1 : err == ENOMEM ? no_memory() : complain(command, what, value);
}
