// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_merge_random.c - plan/merge: random trees, merged by comparing every name with every other
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "tree/access.h"
#include "merged.h"

/* A side of a random merge: names of one or two letters, so that many are on both. */
struct link {
	uint32_t dir, ino;
	char name[3];
};

static struct forest {
	struct link v[600];
	uint32_t n;
	uint32_t first, dirs;		/* inodes from there on; so many of them are directories */
} source, target;

static int is_dir(const struct forest *f, uint32_t ino)
{
	return ino < f->first + f->dirs;
}

static uint32_t type_of(const struct forest *f, uint32_t ino)
{
	return is_dir(f, ino) ? EXT2_FT_DIR : EXT2_FT_REG_FILE;
}

static const struct link *find_link(const struct forest *f, uint32_t dir, const char *name)
{
	uint32_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].dir == dir && !strcmp(f->v[i].name, name))
			return &f->v[i];
	return NULL;
}

static void grow(struct forest *f, struct chance *c, uint32_t first, uint32_t dirs, uint32_t n)
{
	uint32_t i, dir;
	struct link l;

	*f = (struct forest) { .first = first, .dirs = dirs };
	for (i = 0; i < n; i++) {
		dir = chance_below(c, i < dirs ? i + 1 : dirs + 1) / 2;
		l = (struct link) { .dir = dir ? first + dir - 1 : ROOT, .ino = first + i };
		l.name[0] = 'a' + chance_below(c, 6);
		l.name[1] = chance_below(c, 3) ? 0 : 'a' + chance_below(c, 6);
		if (!i || i == dirs) {		/* a pair and a clash for certain */
			l.dir = ROOT;
			l.name[0] = i ? 'z' : 'y';
		}
		if (find_link(f, l.dir, l.name))
			i--;
		else
			f->v[f->n++] = l;
	}
}

static void plant(struct made *m, const struct forest *f)
{
	uint32_t i;

	made_inode(m, ROOT, S_IFDIR | 0755);
	for (i = 0; i < f->n; i++)
		made_inode(m, f->first + i, is_dir(f, f->first + i) ? S_IFDIR : S_IFREG);
	made_seal(m);
	for (i = 0; i < f->n; i++)
		made_name(m, f->v[i].dir, f->v[i].name, f->v[i].ino);
}

static void plant_target(struct made *old)
{
	plant(old, &target);
}

/* Ascending by both hashes. */
static void want_sorted(const struct made *m, uint32_t dir)
{
	struct bfo_slice s = bfo_dir_names(&m->tree, made_rec((struct made *) m, dir));
	uint32_t i;

	for (i = s.first + 1; i < s.end; i++) {
		const struct bfo_name *n = &m->tree.names.v[i];

		want(n[-1].hash < n->hash || (n[-1].hash == n->hash && n[-1].minor <= n->minor));
	}
}

/* What source directory DIR and target directory OLD must have become, and all below. */
static void want_both(struct made *m, uint32_t dir, uint32_t old, size_t *merged, size_t *clash)
{
	uint32_t i, gained = 0, had = 0;

	for (i = 0; i < target.n; i++)
		if (target.v[i].dir == old && ++had)
			merged_fixed(m, dir, target.v[i].name, target.v[i].ino,
				   type_of(&target, target.v[i].ino));
	for (i = 0; i < source.n; i++) {
		const struct link *l = &source.v[i], *o = find_link(&target, old, l->name);

		if (l->dir != dir)
			continue;
		if (!o) {
			merged_new(m, dir, l->name, l->ino);
			gained++;
		} else if (is_dir(&source, l->ino) && is_dir(&target, o->ino)) {
			want_both(m, l->ino, o->ino, merged, clash);
		} else {
			++*clash;
		}
	}
	want_eq(merged_count(m, dir), had + gained);
	merged_dir(m, old, dir, gained);
	want_sorted(m, dir);
	++*merged;
}

/* Every other time with a hash that does not exist: all names are ties. */
START_TEST(merges_random_trees)
{
	size_t merged = 0, clash = 0;
	struct chance c;
	struct made m;

	chance_init(&c, 9500 + _i);
	grow(&source, &c, 20, 30, 100 + 20 * _i);
	grow(&target, &c, 1000, chance_between(&c, 20, 40), 150);
	made_init(&m);
	if (_i % 2)
		m.target.hash_version = 99;
	plant(&m, &source);
	want_ok(made_plan(&m, plant_target));
	want_both(&m, ROOT, ROOT, &merged, &clash);
	want_eq(m.plan.merged.n, merged);
	want_eq(m.plan.clashes.n, clash);
	want(clash && merged > 1);
	made_free(&m);
}
END_TEST

Suite *merge_random_suite(void)
{
	Suite *s = suite_create("merge_random");

	unit_case(s, "merges_random_trees", merges_random_trees, 10);
	return s;
}
