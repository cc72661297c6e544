// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_options.c - --order and what belongs to it
 */
#include <stdlib.h>
#include <string.h>

#include "argument.h"
#include "commands.h"
#include "order_options.h"

/* What may stand behind ':'. */
static int takes(enum bfo_order_policy policy)
{
	return policy == BFO_ORDER_REFS ? 'd' :
	       policy == BFO_ORDER_LIST || policy == BFO_ORDER_TRACE ? 'f' : 0;
}

int order_number(const char *command, const char *name, const char *text, unsigned long most,
		 int percent, uint32_t *out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (percent && *end == '%')
		end++;
	if (*text < '0' || *text > '9' || *end || !value || value > most)
		return argument_complain(command, "%s %s: not a number from 1 to %lu", name, text,
					 most);
	*out = value;
	return -1;
}

/* What stands behind the word of POLICY: NULL, or a string. */
static int read_value(const char *command, struct bfo_order_options *o,
		      enum bfo_order_policy policy, const char *value)
{
	const char *word = bfo_order_word(policy);

	if (takes(policy) == 'f' && (!value || !*value))
		return argument_complain(command, "--order %s: no file (%s:FILE)", word, word);
	if (!takes(policy) && value)
		return argument_complain(command, "--order %s: takes no ':%s'", word, value);
	if (policy == BFO_ORDER_LIST)
		o->list = value;
	if (policy == BFO_ORDER_TRACE)
		o->trace = value;
	if (policy == BFO_ORDER_REFS && value)
		return order_number(command, "--order refs:", value, BFO_ORDER_DEPTH_MOST, 0,
				    &o->depth);
	return -1;
}

/* One policy, which ends in NUL; it stays where it is. */
static int read_policy(const char *command, struct bfo_order_options *o, char *text)
{
	char *value = strchr(text, ':');
	int policy;
	size_t i;

	if (value)
		*value++ = 0;
	for (policy = 0; policy < BFO_ORDER_POLICIES; policy++)
		if (!strcmp(text, bfo_order_word(policy)))
			break;
	if (policy == BFO_ORDER_POLICIES)
		return argument_complain(command, "--order '%s': not readdir, source, dir, name, "
					 "size, mtime, list:FILE, refs[:DEPTH] or trace:FILE", text);
	for (i = 0; i < o->n; i++)
		if ((int) o->policies[i] == policy)
			return argument_complain(command, "--order %s: said twice", text);
	if (o->n && o->policies[o->n - 1] <= BFO_ORDER_NAME)
		return argument_complain(command, "--order %s: %s leaves nothing to it", text,
					 bfo_order_word(o->policies[o->n - 1]));
	o->policies[o->n++] = policy;
	return read_value(command, o, policy, value);
}

/* A copy, as it is cut in pieces, and the record of the copy keeps the command line. */
static int read_policies(const char *command, struct bfo_order_options *o, order_texts *texts)
{
	char *text = strdup(optarg), *end;
	int status = -1;

	if (!text || bfo_vec_push(texts, text)) {
		free(text);
		return EXIT_FAILED;
	}
	for (; text && status < 0; text = end) {
		end = strchr(text, ',');
		if (end)
			*end++ = 0;
		status = read_policy(command, o, text);
	}
	return status;
}

int order_folder(const char *command, const char *name, const char *text, const char **out)
{
	if (*text != '/')
		return argument_complain(command, "%s '%s': no absolute path", name, text);
	*out = text;
	return -1;
}

int order_option(const char *command, struct bfo_order_options *o, order_texts *texts, int c)
{
	switch (c) {
	case OPT_ORDER:
		return read_policies(command, o, texts);
	case OPT_ORDER_SUPPORT:
		return order_number(command, "--order-support", optarg, 100, 1, &o->support);
	case OPT_ORDER_WINDOW:
		return order_number(command, "--order-window", optarg, BFO_ORDER_WINDOW_MOST, 0,
				    &o->window);
	case OPT_ORDER_ROOT:
		return order_folder(command, "--order-root", optarg, &o->root);
	default:
		return order_folder(command, "--order-mount", optarg, &o->mount);
	}
}

void order_texts_free(order_texts *texts)
{
	while (texts->n)
		free(texts->v[--texts->n]);
	bfo_vec_free(texts);
}

static int has(const struct bfo_order_options *o, enum bfo_order_policy policy)
{
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->policies[i] == policy)
			return 1;
	return 0;
}

int order_check(const char *command, const struct bfo_order_options *o)
{
	if ((o->support || o->window || o->mount) && !o->trace)
		return argument_complain(command, "--order-%s goes with --order trace:FILE",
					 o->support ? "support" : o->window ? "window" : "mount");
	if (o->root && !o->trace && !has(o, BFO_ORDER_REFS))
		return argument_complain(command, "--order-root goes with --order refs or trace");
	return -1;
}
