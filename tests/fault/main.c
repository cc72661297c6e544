// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - fault: what becomes of a target when power, devices or memory fail
 *
 *   fault sweep [-s SEED] [-n CUTS] [-c CUT] [-k EVERY] [-b N] [-t] [-w] DIR	many cuts (sweep.c)
 *   fault cut   [-s SEED] [-b N] [-w] DIR CUT IMAGE	the target as cut number CUT leaves it
 *   fault nth   [-f FULL] [-d STRIDE] [-t] [-e EVENT] DIR	Nth failures (nth.c)
 *   fault kills [-s SEED] [-n KILLS] [-t] DIR		kill -9 (kills.c)
 *   fault state IMAGE					what the judges see
 *
 * DIR is a scenario (run.h).  -w cuts at every write, and not by chance.  -b 0 forgets all
 * barriers, -b N one of them: then the judges have to find something, and the first that they find
 * is enough.  -t is for programs that have no journal transaction, resume and abort yet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>

#include "bench.h"
#include "tool.h"

static int print_state(const char *image)
{
	struct state s;
	size_t i;

	state_read(&s, image);
	for (i = 0; i < s.n; i++)
		printf("%016llx %016llx %s\n", (unsigned long long) s.paths[i].core.a,
		       (unsigned long long) s.paths[i].all.a, s.paths[i].name);
	printf("%llu blocks, %llu inodes free\n", (unsigned long long) s.free_blocks,
	       (unsigned long long) s.free_inodes);
	if (s.damage)
		puts(s.damage);
	return !!s.damage;
}

static int write_cut(const struct bench *b, const struct log *l, const struct options *opt,
		     const char *path)
{
	struct cut c;

	cut_init(&c, l, image_copy(&b->base));
	cut_advance(&c, opt->every_write ? cut_interval_of(l, opt->only)
					 : cut_interval(l, opt->only));
	cut_make(&c, opt->seed, opt->only, opt->every_write ? cut_issued(&c, opt->only) : 0);
	image_save(&c.crashed, path);
	printf("%s: %s\n", path, c.said);
	return 0;
}

static void read_options(struct options *opt, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:n:c:k:f:d:e:b:tw")) != -1)
		switch (c) {
		case 's': opt->seed = strtoull(optarg, NULL, 0); break;
		case 'n': opt->cuts = strtoull(optarg, NULL, 0); break;
		case 'c': opt->only = strtoll(optarg, NULL, 0); break;
		case 'k': opt->kernel_every = strtoull(optarg, NULL, 0); break;
		case 'f': opt->full = strtoull(optarg, NULL, 0); break;
		case 'd': opt->stride = strtoull(optarg, NULL, 0); break;
		case 'e': opt->event = optarg; break;
		case 'b': opt->forget = strtoll(optarg, NULL, 0); break;
		case 'w': opt->every_write = 1; break;
		case 't': opt->today = 1; break;
		default: exit(2);
		}
	if (opt->only >= 0 && (uint64_t) opt->only >= opt->cuts)
		opt->cuts = opt->only + 1;
	if (!opt->stride)
		errx(2, "what should be every 0th?");
}

int main(int argc, char **argv)
{
	struct options opt = { .seed = 1, .cuts = 100, .only = -1, .kernel_every = 8, .stride = 1,
			       .full = 200, .forget = -1 };
	const char *command = argc > 1 ? argv[1] : "";
	struct bench b;
	struct log l;
	int status;

	add_error_table(&et_ext2_error_table);
	read_options(&opt, argc - 1, argv + 1);
	argv += 1 + optind;
	argc -= 1 + optind;
	if (!strcmp(command, "state") && argc == 1)
		return print_state(argv[0]);
	if (argc != 1 && !(argc == 3 && !strcmp(command, "cut")))
		errx(2, "usage: fault sweep|cut|nth|kills|state ...; see main.c");
	if (argc == 3)
		opt.only = strtoll(argv[1], NULL, 0);
	bench_open(&b, &l, argv[0], &opt);
	if (!strcmp(command, "sweep"))
		status = sweep_main(&b, &l, &opt);
	else if (!strcmp(command, "nth"))
		status = nth_main(&b, &opt);
	else if (!strcmp(command, "kills"))
		status = kills_main(&b, &opt);
	else
		status = write_cut(&b, &l, &opt, argv[2]);
	scenario_end(&b.scn);
	return status;
}
