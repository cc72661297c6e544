/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_report.h - what is told of a copy of which one end is on another machine
 *
 * The report is that of the side that is here (copy_report.h), as it is the same tree; what only
 * the other side knows is added.  Of a copy to there that is what has become of the target.
 */
#ifndef E2BFO_COPY_REMOTE_REPORT_H
#define E2BFO_COPY_REMOTE_REPORT_H

#include "cli/json.h"
#include "remote_options.h"
#include "remote_run.h"

/* How an attempt ended. */
enum remote_outcome {
	REMOTE_DONE,
	REMOTE_HERE,			/* what failed, failed here */
	REMOTE_FAILED,			/* there: it has said why */
	REMOTE_REFUSED,			/* there: a command line that it does not take */
	REMOTE_MISSING,			/* there is no e2bfo */
	REMOTE_BROKEN,			/* the connection ended, or who answered is no e2bfo */
};

struct remote_told {
	const struct remote_options *options;
	const struct remote_run *there;	/* its report and status */
	enum remote_outcome outcome;
	unsigned int attempts;
	int is_lost;			/* all is done there; what could not be kept is not known */
};

/* How an attempt ended, of which the side here failed with ERR, or did not (0). */
enum remote_outcome remote_judge(const struct remote_told *t, errcode_t err);

/* True if ERR of the side here is what comes of it when the other side, or the connection, ends. */
int remote_is_consequence(const struct remote_told *t, errcode_t err);

/* The error of the whole copy, of which the side here failed with ERR: noted in CTX. */
errcode_t remote_error(const struct remote_told *t, struct bfo_context *ctx, errcode_t err);

/* The exit status of the whole copy, of which the side here has STATUS. */
int remote_status(const struct remote_told *t, int status);

/* The other side has told why the copy failed. */
int remote_has_said(const struct remote_told *t);

/* What else people should know; about a copy that failed. */
void remote_tell(const struct remote_told *t);
void remote_tell_version(const struct remote_told *t);

/* Of a dry run: what the other side would need. */
void remote_print(const struct remote_told *t);

/* The key "remote". */
void remote_json(struct json *j, const struct remote_told *t);

#endif
