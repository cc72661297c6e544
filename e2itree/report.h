/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what people and scripts are told
 */
#ifndef E2ITREE_REPORT_H
#define E2ITREE_REPORT_H

#include <et/com_err.h>

struct job;

/* Progress: a bar, or lines to the descriptor of -C. */
void report_attach(struct job *j);

/* Tells how it ended; returns the exit status. */
int report_end(struct job *j, errcode_t err);

#endif
