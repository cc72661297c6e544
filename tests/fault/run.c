// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "image.h"
#include "run.h"
#include "tool.h"

#define HUNG_SECONDS 60
#define EPOCH "1700000000"
#define MAX_ENV 512

extern char **environ;

/* ---- scenarios ---- */

static void read_words(struct scenario *s, char *words)
{
	char *word;

	for (word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		if (s->n_args == sizeof(s->args) / sizeof(*s->args))
			errx(2, "%s: too many arguments", s->name);
		s->mkfs |= !strncmp(word, "--mkfs", 6);
		s->indexed |= !strcmp(word, "--itree");
		s->args[s->n_args++] = text("%s", word);
	}
}

static void read_line(struct scenario *s, char *line)
{
	char *value = strchr(line, ' ');

	line[strcspn(line, "\n")] = 0;
	if (!value)
		return;
	*value++ = 0;
	if (!strcmp(line, "program")) {
		s->itree = !strcmp(value, "itree");
		s->arrive = !strcmp(value, "arrive");
		s->stream = !strcmp(value, "stream");
		s->kept = !strcmp(value, "kept");
		s->pack = !strcmp(value, "pack") ? "pack" :
			  !strcmp(value, "unpack") ? "unpack" : NULL;
		s->batch = s->kept || s->pack || !strcmp(value, "batch");
	} else if (!strcmp(line, "args"))
		read_words(s, value);
	else if (!strcmp(line, "promise"))
		s->atomic = !strcmp(value, "atomic");
	else if (!strcmp(line, "mount"))
		s->no_mount = !strcmp(value, "no");
	else
		errx(2, "%s: what is %s?", s->name, line);
}

void scenario_load(struct scenario *s, const char *dir)
{
	FILE *f = fopen(text("%s/scenario", dir), "re");
	const char *name = strrchr(dir, '/');
	char *line = NULL;
	size_t room = 0;

	if (!f)
		err(2, "%s/scenario", dir);
	memset(s, 0, sizeof(*s));
	s->name = name ? name + 1 : dir;
	s->source = text("%s/source.img", dir);
	s->before = text("%s/before.img", dir);
	s->work = text("%s/at-work-%d", dir, getpid());
	s->target = text("%s.img", s->work);
	while (getline(&line, &room, f) > 0)
		read_line(s, line);
	s->read = s->batch ? text("%s/content", dir) : s->source;
	free(line);
	fclose(f);
}

static char *work_file(const struct scenario *s, const char *suffix)
{
	return text("%s.%s", s->work, suffix);
}

void scenario_end(struct scenario *s)
{
	static const char *const suffixes[] = { "img", "said", "counts", "log", "source" };
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		unlink(work_file(s, suffixes[i]));
	rmdir(work_file(s, "mnt"));
}

/* ---- the environment of a run ---- */

static struct fault_counts *map_counts(const struct scenario *s)
{
	char *path = work_file(s, "counts");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct fault_counts *c;

	if (fd < 0 || ftruncate(fd, sizeof(*c)))
		err(2, "%s", path);
	c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (c == MAP_FAILED)
		err(2, "%s", path);
	close(fd);
	free(path);
	return c;
}

static const char *needed(const char *variable)
{
	const char *value = getenv(variable);

	if (!value)
		errx(2, "%s is not set; see tests/fault/run", variable);
	return value;
}

struct environment {
	char *v[MAX_ENV];
	int n, inherited;
};

static void add(struct environment *e, char *assignment)
{
	if (e->n + 1 == MAX_ENV)
		errx(2, "too large an environment");
	e->v[e->n++] = assignment;
	e->v[e->n] = NULL;
}

static void add_fault(struct environment *e, const struct scenario *s, const struct fault *f)
{
	static const char *const names[] = FAULT_EVENT_NAMES;

	add(e, text("LD_PRELOAD=%s", needed("FAULT_SHIM")));
	add(e, text("FAULT_TARGET=%s", f->target));
	add(e, text("FAULT_SOURCE=%s", f->source ? f->source : s->read));
	add(e, text("FAULT_COUNTS=%s.counts", s->work));
	if (f->log)
		add(e, text("FAULT_LOG=%s", f->log));
	if (!f->at)
		return;
	add(e, text("FAULT_EVENT=%s", names[f->event]));
	add(e, text("FAULT_AT=%llu", (unsigned long long) f->at));
	add(e, text("FAULT_HOW=%s", f->how));
	add(e, text("FAULT_TIMES=%u", f->times));
}

static void environment_init(struct environment *e, const struct scenario *s,
			     const struct fault *f)
{
	e->n = 0;
	for (char **v = environ; *v; v++)
		add(e, *v);
	e->inherited = e->n;
	add(e, text("SOURCE_DATE_EPOCH=" EPOCH));
	add(e, text("E2FSPROGS_FAKE_TIME=" EPOCH));
	add(e, text("ASAN_OPTIONS=verify_asan_link_order=0:exitcode=99:allocator_may_return_null=1:"
		    "handle_segv=0:handle_abort=0"));
	if (f)
		add_fault(e, s, f);
}

static void environment_free(struct environment *e)
{
	while (e->n > e->inherited)
		free(e->v[--e->n]);
}

/* ---- running ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static pid_t start(const struct scenario *s, char *const *argv, char *const *env)
{
	char *said = work_file(s, "said");
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, usual;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, said, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND,
					 0600);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGINT);	/* a shell's background ignores it */
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &usual);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	errno = posix_spawnp(&pid, argv[0], &files, &how, argv, env);
	if (errno)
		err(2, "%s", argv[0]);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	free(said);
	return pid;
}

/* Waits for SECONDS at most; 1 if PID has ended. */
static int ended(pid_t pid, double seconds, int *status)
{
	struct timespec wait = { (time_t) seconds, (seconds - (time_t) seconds) * 1e9 };
	sigset_t child;
	double until = now() + seconds;
	int got;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got < 0)
			err(2, "waiting");
		if (got || now() >= until)
			return got > 0;
		sigtimedwait(&child, NULL, &wait);
	}
}

static void await(pid_t pid, struct outcome *o)
{
	int status;

	if (!ended(pid, HUNG_SECONDS, &status)) {
		o->hung = 1;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	o->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	o->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void run(const struct scenario *s, char *const *argv, const struct fault *f, struct outcome *o)
{
	struct environment env;
	struct fault_counts *c = map_counts(s);
	sigset_t child;
	char *said;

	memset(o, 0, sizeof(*o));
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	environment_init(&env, s, f);
	await(start(s, argv, env.v), o);
	environment_free(&env);
	o->counts = *c;
	munmap(c, sizeof(*c));
	said = work_file(s, "said");
	o->said = (char *) image_load(said).bytes;
	free(said);
}

static void run_copy(const struct scenario *s, const struct fault *f, struct outcome *o)
{
	char *source = f->source ? f->source : s->source;
	char *argv[32] = { "bash", "-c", "exec \"$@\" < <(cat \"$0\")", source,
			   (char *) needed("E2BFO"), s->stream ? "receive" : "copy",
			   "--progress=none", "--memory=1M" };
	int n = 8, i, is_piped = s->arrive || s->stream;

	for (i = 0; i < s->n_args; i++)
		argv[n++] = s->args[i];
	if (!s->stream)
		argv[n++] = s->arrive ? "-" : source;
	argv[n++] = f->target;
	run(s, is_piped ? argv : argv + 4, f, o);
}

void run_scenario(const struct scenario *s, const struct fault *f, struct outcome *o)
{
	char *argv[32] = { s->batch ? (char *) needed("E2BFO") : (char *) needed("E2ITREE"),
			   s->pack ? (char *) s->pack : s->batch ? "batch" : "--progress=none" };
	int n = 2, i;

	if (!s->itree && !s->batch) {
		run_copy(s, f, o);
		return;
	}
	for (i = 0; i < s->n_args; i++)
		argv[n++] = s->args[i];
	argv[n++] = f->target;
	if (s->pack)
		argv[n++] = "/";
	else if (s->batch)
		argv[n++] = f->source ? f->source : s->source;
	run(s, argv, f, o);
}

int run_done(const struct scenario *s)
{
	return s->itree ? ITREE_CHANGED : STATUS_KEPT;
}

void run_itree(const struct scenario *s, const char *how, struct outcome *o)
{
	char *argv[] = { (char *) needed("E2ITREE"), (char *) how, "-m", "2", s->target, NULL };

	run(s, argv, NULL, o);
}

void run_command(const struct scenario *s, const char *word, int with_source, struct outcome *o)
{
	char *with[] = { (char *) needed("E2BFO"), (char *) word, "--source", s->source, s->target,
			 NULL };
	char *without[] = { with[0], with[1], s->target, NULL };

	run(s, with_source ? with : without, NULL, o);
}

int run_has(const struct scenario *s, const char *word)
{
	char *argv[] = { (char *) needed("E2BFO"), "--help", NULL };
	char *line = text("\n  %s ", word);
	struct outcome o;
	int has;

	run(s, argv, NULL, &o);
	has = !!strstr(o.said, line);
	outcome_free(&o);
	free(line);
	return has;
}

void run_fsck(const struct scenario *s, const char *how, struct outcome *o)
{
	char *argv[] = { "e2fsck", (char *) how, s->target, NULL };

	run(s, argv, NULL, o);
}

const char *outcome_line(const struct outcome *o, const char *pattern)
{
	static char line[200];
	const char *at = strstr(o->said, pattern);
	size_t len;

	if (!at)
		return NULL;
	while (at > o->said && at[-1] != '\n')
		at--;
	len = strcspn(at, "\n");
	snprintf(line, sizeof(line), "%.*s", (int) len, at);
	return line;
}

void outcome_free(struct outcome *o)
{
	free(o->said);
	o->said = NULL;
}
