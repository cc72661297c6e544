// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relay - a link of a certain rate and delay, between two programs
 *
 *	relay RATE DELAY < IN > OUT			one direction
 *	relay RATE DELAY COMMAND [ARGUMENT...]		both: to and from the command
 *
 * RATE is in bits a second, DELAY in milliseconds, of one direction: a round trip takes twice that.
 *
 * What comes in takes the time that its bytes need at that rate (a token bucket), then waits for
 * the delay in a queue. The queue takes no more than what a link of that rate and delay has under
 * way, and half a mebibyte: a receiver that is slow stops the sender, as TCP's window does. There
 * are no losses, and no slow start. The exit status is that of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, QUEUE_SPARE = 512 << 10, BURST_NS = 5000000,
       PIPE = 1 << 20 };

struct chunk {
	int64_t due;		/* when it comes out */
	size_t size;
	char bytes[CHUNK];
};

struct way {
	int in, out;
	double ns_per_byte;
	int64_t delay;		/* nanoseconds */
	struct chunk *queue;	/* a ring */
	size_t n_chunks;
	size_t most;		/* bytes that may be under way */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint64_t put, taken;	/* chunks */
	size_t held;		/* bytes */
	int ended, broken;
};

static void die(const char *what)
{
	fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int64_t now(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t))
		die("clock_gettime");
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wait_until(int64_t when)
{
	struct timespec t = { .tv_sec = when / 1000000000, .tv_nsec = when % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* The next chunk of the ring that is free, or NULL if nobody takes any more. */
static struct chunk *room(struct way *w)
{
	struct chunk *c;

	pthread_mutex_lock(&w->mutex);
	while (!w->broken && (w->held + CHUNK > w->most || w->put - w->taken == w->n_chunks))
		pthread_cond_wait(&w->changed, &w->mutex);
	c = w->broken ? NULL : &w->queue[w->put % w->n_chunks];
	pthread_mutex_unlock(&w->mutex);
	return c;
}

static void put(struct way *w, size_t size)
{
	pthread_mutex_lock(&w->mutex);
	w->put += size > 0;
	w->held += size;
	w->ended = !size;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
}

static void *come_in(void *data)
{
	struct way *w = data;
	int64_t sent = now();	/* when the link has sent all that came so far */
	struct chunk *c;
	ssize_t n;

	while ((c = room(w))) {
		n = read(w->in, c->bytes, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (sent < now() - BURST_NS)
			sent = now() - BURST_NS;
		sent += (int64_t)((double)n * w->ns_per_byte);
		c->size = (size_t)n;
		c->due = sent + w->delay;
		put(w, c->size);
		wait_until(sent);
	}
	put(w, 0);
	return NULL;
}

/* The oldest chunk, or NULL at the end. */
static struct chunk *oldest(struct way *w)
{
	struct chunk *c;

	pthread_mutex_lock(&w->mutex);
	while (w->put == w->taken && !w->ended)
		pthread_cond_wait(&w->changed, &w->mutex);
	c = w->put == w->taken ? NULL : &w->queue[w->taken % w->n_chunks];
	pthread_mutex_unlock(&w->mutex);
	return c;
}

static void taken(struct way *w, size_t size, int is_broken)
{
	pthread_mutex_lock(&w->mutex);
	w->taken++;
	w->held -= size;
	w->broken = is_broken;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
}

static int write_all(int fd, const char *bytes, size_t size)
{
	ssize_t n;

	for (; size; bytes += n, size -= (size_t)n) {
		n = write(fd, bytes, size);
		if (n < 0 && errno != EINTR)
			return -1;
		n = n < 0 ? 0 : n;
	}
	return 0;
}

static void *go_out(void *data)
{
	struct way *w = data;
	int is_broken = 0;
	struct chunk *c;

	while (!is_broken && (c = oldest(w))) {
		wait_until(c->due);
		is_broken = write_all(w->out, c->bytes, c->size) < 0;
		taken(w, c->size, is_broken);
	}
	close(w->out);
	return NULL;
}

static void open_way(struct way *w, int in, int out, double rate, int64_t delay)
{
	*w = (struct way) { .in = in, .out = out, .ns_per_byte = 8e9 / rate, .delay = delay };
	/* As the buffers of sockets would; what is no pipe has its own. */
	fcntl(in, F_SETPIPE_SZ, PIPE);
	fcntl(out, F_SETPIPE_SZ, PIPE);
	w->most = (size_t)((double)delay / w->ns_per_byte) + QUEUE_SPARE;
	/* Short reads fill chunks in part: there are more of them than full ones would be. */
	w->n_chunks = 4 * (w->most / CHUNK + 1);
	w->queue = malloc(w->n_chunks * sizeof(*w->queue));
	if (!w->queue || pthread_mutex_init(&w->mutex, NULL) ||
	    pthread_cond_init(&w->changed, NULL))
		die("a queue");
}

static pthread_t start(void *(*run)(void *), struct way *w)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, run, w);
	if (errno)
		die("a thread");
	return thread;
}

static pid_t start_command(char **argv, int *to, int *from)
{
	int down[2], up[2];
	pid_t pid;

	if (pipe(down) || pipe(up))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (dup2(down[0], 0) < 0 || dup2(up[1], 1) < 0)
			die("dup2");
		close(down[0]), close(down[1]), close(up[0]), close(up[1]);
		execvp(argv[0], argv);
		die(argv[0]);
	}
	close(down[0]), close(up[1]);
	*to = down[1];
	*from = up[0];
	return pid;
}

/* Both directions, until the command has said all. */
static int relay_both(char **argv, double rate, int64_t delay)
{
	static struct way there, back;
	int to, from, status;
	pid_t pid = start_command(argv, &to, &from);
	pthread_t last;

	open_way(&there, 0, to, rate, delay);
	open_way(&back, from, 1, rate, delay);
	start(come_in, &there);
	start(go_out, &there);
	start(come_in, &back);
	last = start(go_out, &back);
	pthread_join(last, NULL);
	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int relay_one(double rate, int64_t delay)
{
	static struct way way;
	pthread_t last;

	open_way(&way, 0, 1, rate, delay);
	start(come_in, &way);
	last = start(go_out, &way);
	pthread_join(last, NULL);
	return way.broken;
}

int main(int argc, char **argv)
{
	double rate = argc > 2 ? atof(argv[1]) : 0;
	int64_t delay = argc > 2 ? (int64_t)(atof(argv[2]) * 1e6) : 0;

	if (rate <= 0 || delay < 0) {
		fprintf(stderr, "usage: relay RATE DELAY [COMMAND [ARGUMENT...]]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	return argc > 3 ? relay_both(argv + 3, rate, delay) : relay_one(rate, delay);
}
