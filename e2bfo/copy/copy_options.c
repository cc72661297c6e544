// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_options.c - the command line of `e2bfo copy`
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/size.h"
#include "gather/batch.h"
#include "job/mkfs_words.h"
#include "tree/finding.h"
#include "device/spec.h"
#include "e2bfo/argument.h"
#include "e2bfo/commands.h"
#include "copy_options.h"
#include "copy_words.h"
#include "owner_options.h"
#include "remote_spec.h"
#include "size_options.h"

#define DIR_FILL 80

/* Whose --help tells more: copy, send and receive share what is here. */
#define complain(opt, ...) argument_complain((opt)->syntax->command, __VA_ARGS__)

/* Options that only note what was said. */
#define AT(member) offsetof(struct copy_options, member)

static const struct note {
	int c;
	enum { NOTE_FLAG, NOTE_TEXT, NOTE_LIST } as;	/* 1, the text, the next text of several */
	size_t at, n;		/* where in the options; of several texts also their number */
} notes[] = {
	{ OPT_FROM0, NOTE_FLAG, AT(job.from0), 0 },
	{ OPT_ALLOW_EMPTY, NOTE_FLAG, AT(job.allow_empty), 0 },
	{ OPT_SAME_UUID, NOTE_FLAG, AT(job.same_uuid), 0 },
	{ OPT_NOT_ATOMIC, NOTE_FLAG, AT(job.not_atomic), 0 },
	{ OPT_EVIDENCE, NOTE_FLAG, AT(job.evidence), 0 },
	{ OPT_HASH_SOURCE, NOTE_FLAG, AT(job.hash_source), 0 },
	{ OPT_VERIFY, NOTE_FLAG, AT(job.verify), 0 },
	{ OPT_KEEP_INODES, NOTE_FLAG, AT(job.keep_inodes), 0 },
	{ OPT_UNPACK, NOTE_FLAG, AT(job.unpack), 0 },
	{ OPT_FORCE, NOTE_FLAG, AT(job.force), 0 },
	{ OPT_TRUST, NOTE_FLAG, AT(job.trust), 0 },
	{ OPT_ITREE, NOTE_FLAG, AT(job.itree), 0 },
	{ OPT_CROSS_MOUNTS, NOTE_FLAG, AT(job.cross_mounts), 0 },
	{ OPT_SPOOL, NOTE_FLAG, AT(job.spool), 0 },
	{ OPT_DEREFERENCE, NOTE_FLAG, AT(job.dereference), 0 },
	{ OPT_NO_DEVICES, NOTE_FLAG, AT(job.no_devices), 0 },
	{ OPT_NO_SUID, NOTE_FLAG, AT(job.no_suid), 0 },
	{ OPT_PORTABLE, NOTE_FLAG, AT(job.is_portable), 0 },
	{ 'n', NOTE_FLAG, AT(job.dry_run), 0 },
	{ OPT_FILES_FROM, NOTE_TEXT, AT(job.files_from), 0 },
	{ OPT_TO, NOTE_TEXT, AT(job.to), 0 },
	{ OPT_METADATA_IN, NOTE_TEXT, AT(job.metadata_in), 0 },
	{ OPT_METADATA_OUT, NOTE_TEXT, AT(job.metadata_out), 0 },
	{ OPT_WRITE_MAPFILE, NOTE_TEXT, AT(job.write_mapfile), 0 },
	{ 'z', NOTE_TEXT, AT(job.undo_file), 0 },
	{ OPT_COMPRESS, NOTE_TEXT, AT(job.compress), 0 },
	{ OPT_RESUME, NOTE_TEXT, AT(job.token), 0 },
	{ OPT_STATE, NOTE_TEXT, AT(job.state), 0 },
	{ OPT_FROM, NOTE_LIST, AT(from), AT(job.n_from) },
	{ OPT_NO_XATTRS, NOTE_LIST, AT(no_xattrs), AT(job.n_no_xattrs) },
	{ OPT_MANIFEST_OUT, NOTE_LIST, AT(manifests), AT(job.n_manifests) },
};

static const struct option_row rows[] = {
	OPTION_TITLE("What to where:"),
	{ OPT_FROM, "from", "PATH", "what to copy; may be repeated (default /, the whole tree)" },
	COPY_EXCLUDE_ROWS,
	{ OPT_FILES_FROM, "files-from", "FILE",
	  "only the paths that FILE lists, a line each (-: standard input)" },
	COPY_LIST_ROWS,
	COPY_TO_ROW,
	COPY_SOURCE_ROWS,
	{ OPT_MKFS, "mkfs", "[=ARGS]",
	  "format TARGET first, alike to SOURCE; ARGS go to mke2fs(8)" },
	{ OPT_SAME_UUID, "same-uuid", NULL, "with --mkfs: TARGET gets the UUID of SOURCE" },
	COPY_SIZE_ROWS,
	{ OPT_STRIP, "strip-components", "N", "SOURCE is an archive: paths lose N components" },
	{ OPT_SPOOL, "spool", NULL,
	  "SOURCE is an archive in a pipe: it goes to a file in TMPDIR first" },
	{ OPT_DEREFERENCE, "hard-dereference", NULL,
	  "SOURCE is no filesystem: each name of a file becomes a file of its own" },
	COPY_OWNER_ROWS,
	{ OPT_REPRODUCIBLE, "reproducible", "[=SEED]",
	  "with --mkfs: the same tree gives the same bytes (SOURCE_DATE_EPOCH)" },
	COPY_CROSS_MOUNTS_ROW,
	{ OPT_METADATA_IN, "metadata-in", "FILE",
	  "SOURCE is a directory: what it does not have comes from FILE (--metadata-out)" },
	{ 'n', "dry-run", NULL, "print the plan, write nothing" },
	{ OPT_SKIP_EXISTING, "skip-existing", NULL,
	  "files that exist on TARGET stay, and are not copied; not for archives" },
	{ OPT_OVERWRITE, "overwrite", NULL,
	  "files take the place of files that exist; not for archives" },
	{ OPT_IF_NEWER, "if-newer", NULL, "files take the place of older ones; not for archives" },
	{ OPT_NO_DEVICES, "no-devices", NULL, "no device files; not for archives" },
	{ OPT_NO_SUID, "no-suid", NULL,
	  "no set-user-id and set-group-id bits, no capabilities; not for archives" },
	OPTION_TITLE("Where TARGET is a directory:"),
	{ OPT_NO_XATTRS, "no-xattrs", "PATTERN",
	  "no extended attributes whose names match; may be repeated" },
	{ OPT_METADATA_OUT, "metadata-out", "FILE",
	  "write all metadata to FILE, also what TARGET does not take" },
	OPTION_TITLE("Where TARGET is an archive:"),
	{ OPT_PORTABLE, "portable", NULL, "only what other programs know" },
	OPTION_TITLE("Where TARGET is a stream:"),
	COPY_STREAM_ROWS,
	OPTION_TITLE("Where an end is on another machine (ssh://[USER@]HOST[:PORT]/PATH):"),
	{ OPT_RSH, "rsh", "COMMAND", "what runs a command there (default ssh -T)" },
	{ OPT_REMOTE_E2BFO, "remote-e2bfo", "COMMAND",
	  "what runs e2bfo there, e.g. 'sudo -n e2bfo' (default e2bfo)" },
	{ OPT_RETRIES, "retries", "N",
	  "connect again when the connection breaks, N times (default 0)" },
	OPTION_TITLE("How:"),
	{ OPT_ORDER, "order", "POLICIES",
	  "what lies next to each other: readdir (default), source, dir, name, size,\n"
	  "mtime, list:FILE, refs[:DEPTH], trace:FILE, or some of these, with commas" },
	{ OPT_ORDER_SUPPORT, "order-support", "PERCENT",
	  "how much of the accesses to a file in a trace makes a group (default 5)" },
	{ OPT_ORDER_WINDOW, "order-window", "N",
	  "how near to each other accesses in a trace are together (default 8)" },
	{ OPT_ORDER_ROOT, "order-root", "DIR",
	  "where paths of a web server's log and pages begin in SOURCE" },
	{ OPT_ORDER_MOUNT, "order-mount", "DIR",
	  "where SOURCE was mounted when the trace was taken" },
	ARGUMENT_MEMORY_ROW,
	{ OPT_READ_GAP, "read-gap", "SIZE",
	  "read over gaps up to this in the source (default 256K, on\n"
	  "devices without seek times 32K; 0 never)" },
	{ OPT_DIRECT, "direct", "auto|always|never",
	  "bulk past the page cache; auto (default): of block devices" },
	ARGUMENT_BWLIMIT_ROW,
	{ OPT_DIR_FILL, "dir-fill", "PERCENT",
	  "how full indexed directories are packed, 10 to 100 (default 80)" },
	{ OPT_MANIFEST_OUT, "manifest-out", "FORMAT:FILE",
	  "list what is copied, with digests: mtree, sha256sum, hashdeep, dfxml or\n"
	  "bodyfile; may be repeated" },
	{ OPT_HASH_SOURCE, "hash-source", NULL,
	  "tell the SHA-256 of all of SOURCE, which is read through for that first" },
	{ OPT_EVIDENCE, "evidence", NULL,
	  "with --json: that SOURCE was not touched; reads its journal twice" },
	COPY_VERIFY_ROW,
	{ OPT_KEEP_INODES, "keep-inodes", NULL,
	  "keep inode numbers (NFS handles, security.evm, stable_inodes)" },
	{ OPT_UNPACK, "unpack", NULL,
	  "members of composite files become files, as where TARGET is no volume" },
	COPY_TARGET_ROWS,
	ARGUMENT_BAD_SOURCE_ROWS,
	{ OPT_WRITE_MAPFILE, "write-mapfile", "FILE",
	  "write what was read, and what could not be, for ddrescue(1)" },
	{ 'b', "superblock", "BLOCK", "open SOURCE by the backup of its superblock in BLOCK" },
	ARGUMENT_BLOCK_SIZE_ROW,
	OPTION_TITLE("Output:"),
	COPY_OUTPUT_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo copy [OPTIONS] SOURCE TARGET\n"
	"\n"
	"Copies a file tree into the ext2, ext3 or ext4 filesystem in TARGET, which is unmounted: a block\n"
	"device or an image file (or FILE?offset=BYTES, FILE?partition=N, UUID=..., LABEL=...; file:NAME\n"
	"takes any NAME as it stands).  Or into a directory (it exists, or its name ends in /), or into\n"
	"an archive (NAME.tar, NAME.tar.zst; tar:- is standard output), or a stream (stream:FILE, as\n"
	"e2bfo send makes).  SOURCE is such a filesystem, too, a directory, an archive (tar, cpio; - is\n"
	"standard input), or a stream.  It is never written.\n"
	"One of them may be on another machine: ssh://HOST/PATH.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 all kept, 1 done but not all kept, 8 nothing copied, 16 usage, 32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo copy --mkfs /dev/sdb1 /dev/sdc1        move a filesystem to another disk\n"
	"  e2bfo copy --mkfs --size min old.img new.img pack an image as small as it gets\n"
	"  e2bfo copy --from /home/ann --to /old /dev/sdb1 /dev/sdc2\n"
	"  e2bfo copy --from /home/ann disk.img found/  take files out of an image\n"
	"  e2bfo copy disk.img disk.tar.zst             make an archive of one\n"
	"  e2bfo copy --mkfs /dev/sdb1 ssh://host/dev/sdc1\n",
};

const struct copy_syntax copy_syntax = {
	.command = "copy", .table = &table, .operands = "a SOURCE and a TARGET",
};

static int read_percent(const char *text, unsigned int *out)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end == '%')
		end++;
	if (end == text || *end || value < 10 || value > 100)
		return argument_complain("copy", "--dir-fill %s: not a percentage from 10 to 100",
					 text);
	*out = value;
	return -1;
}

static int read_losses(struct copy_options *opt, const char *text)
{
	const char *bad = bfo_losses_read(text, &opt->job.losses);

	return !bad ? -1 : complain(opt, "--allow-loss: '%.*s' is no kind of loss (e2bfo-copy(8) "
				    "lists them)", (int) strcspn(bad, ","), bad);
}

static int no_memory(void)
{
	com_err("e2bfo", ENOMEM, "while reading options");
	return EXIT_FAILED;
}

/* --mkfs may be repeated: its arguments add up. */
static int join_args(struct copy_options *opt, const char *args)
{
	char *all;

	if (asprintf(&all, "%s%s%s", opt->job.mkfs_args ? opt->job.mkfs_args : "",
		     opt->job.mkfs_args ? " " : "", args) < 0)
		return no_memory();
	free(opt->mkfs_args);
	opt->job.mkfs_args = opt->mkfs_args = all;
	return -1;
}

/* What is read from, and whether other lists are read from there already. */
static int check_stdin(const struct copy_options *opt)
{
	size_t i, uses = opt->job.files_from && !strcmp(opt->job.files_from, "-");

	uses += opt->job.order.list && !strcmp(opt->job.order.list, "-");
	uses += opt->job.order.trace && !strcmp(opt->job.order.trace, "-");
	uses += argument_is_stdin(opt->job.source);
	for (i = 0; i < opt->job.n_exclude; i++)
		uses += opt->job.exclude[i].is_file && !strcmp(opt->job.exclude[i].text, "-");
	return uses > 1 ? complain(opt, "only one list, or SOURCE, can be standard input") : -1;
}

/* Some list of names is read. */
static int has_list(const struct copy_options *opt)
{
	size_t i;

	for (i = 0; i < opt->job.n_exclude; i++)
		if (opt->job.exclude[i].is_file)
			return 1;
	return opt->job.files_from || opt->job.order.list;
}

static int read_direct(const char *text, enum bfo_direct_use *use)
{
	static const char *const words[] = { "auto", "always", "never" };
	int number, status = argument_word("copy", "direct", text, words, &number);

	*use = number;
	return status;
}

static void take_note(struct copy_options *opt, const struct note *note)
{
	void *at = (char *) opt + note->at;
	size_t *n = (size_t *) ((char *) opt + note->n);

	if (note->as == NOTE_FLAG)
		*(int *) at = 1;
	else if (note->as == NOTE_TEXT)
		*(const char **) at = optarg;
	else
		(*(const char ***) at)[(*n)++] = optarg;
}

/* True if C is an option of that table. */
static int read_note(struct copy_options *opt, int c)
{
	size_t i;

	for (i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].c == c) {
			take_note(opt, &notes[i]);
			return 1;
		}
	return 0;
}

/* What exists stands in the way, unless one of these is said. */
static int read_over(struct copy_options *opt, enum bfo_over over)
{
	if (opt->job.over && opt->job.over != over)
		return complain(opt, "--overwrite, --skip-existing and --if-newer exclude each "
				"other");
	opt->job.over = over;
	return -1;
}

static int read_option(struct copy_options *opt, int c)
{
	if (read_note(opt, c))
		return -1;
	if (order_is_option(c))
		return order_option("copy", &opt->job.order, &opt->order_texts, c);
	if (argument_is_medium(c))
		return argument_medium(opt->syntax->command, c, &opt->job.medium);
	switch (c) {
	case OPT_EXCLUDE:
	case OPT_EXCLUDE_FROM:
		return argument_exclude(opt->syntax->command, optarg, c == OPT_EXCLUDE_FROM,
					&opt->exclude[opt->job.n_exclude++]);
	case OPT_MKFS:
		opt->job.mkfs = 1;
		return optarg ? join_args(opt, optarg) : -1;
	case OPT_SIZE:
		return size_option(opt->syntax->command, optarg, &opt->job);
	case OPT_STRIP:
		return argument_strip("copy", optarg, &opt->job.strip);
	case OPT_OWNER:
		return owner_option(opt->syntax->command, &opt->owners, "owner", optarg);
	case OPT_MAP_USERS:
		return owner_option(opt->syntax->command, &opt->owners, "map-users", optarg);
	case OPT_MAP_GROUPS:
		return owner_option(opt->syntax->command, &opt->owners, "map-groups", optarg);
	case OPT_REPRODUCIBLE:
		opt->job.is_reproducible = 1;
		opt->job.seed = optarg;
		return -1;
	case OPT_OVERWRITE:
		return read_over(opt, BFO_OVER_REPLACE);
	case OPT_SKIP_EXISTING:
		return read_over(opt, BFO_OVER_SKIP);
	case OPT_IF_NEWER:
		return read_over(opt, BFO_OVER_NEWER);
	case OPT_INODES:
		return inodes_option(opt->syntax->command, optarg, &opt->job);
	case OPT_READ_GAP:
		return argument_size("copy", "read-gap", optarg, 0, 1 << 30, &opt->job.read_gap);
	case OPT_DIRECT:
		return read_direct(optarg, &opt->job.direct);
	case OPT_DIR_FILL:
		return read_percent(optarg, &opt->job.dir_fill);
	case OPT_RSH:
	case OPT_REMOTE_E2BFO:
	case OPT_RETRIES:
		return complain(opt, "--rsh, --remote-e2bfo and --retries go with an end that is "
				"ssh://HOST/PATH");
	case OPT_ALLOW_LOSS:
		return read_losses(opt, optarg);
	default:
		if (c == '?' && opt->job.mkfs)
			message("options of mke2fs stand behind '=': --mkfs='-L new'");
		return argument_common(opt->syntax->command, opt->syntax->table, c, &opt->common);
	}
}

/* What is formatted has a beginning and an end; what is made is a file of its own. */
static int check_mkfs_target(const struct copy_options *opt)
{
	struct bfo_spec spec;
	int status = -1;

	if (bfo_spec_parse(opt->job.target, &spec))
		return no_memory();
	if (spec.options && opt->job.size)
		status = complain(opt, "--size makes a new image file, and no ?%s in one",
				  spec.options);
	else if (spec.options && strncmp(spec.options, "partition=", 10))
		status = complain(opt, "--mkfs with ?%s: where would it end? It takes "
				  "?partition=N, or a device that losetup -o and --sizelimit make",
				  spec.options);
	bfo_spec_free(&spec);
	return status;
}

/* Options that do not go together, or not alone. */
static int check_pairs(const struct copy_options *opt)
{
	int status = -1;

	if (opt->job.size && !opt->job.mkfs)
		return complain(opt, "--size goes with --mkfs");
	if ((opt->job.inodes || opt->job.counts_used) && !opt->job.mkfs)
		return complain(opt, "--inodes goes with --mkfs");
	if (opt->job.is_reproducible && !opt->job.mkfs)
		return complain(opt, "--reproducible goes with --mkfs");
	if (opt->job.is_reproducible && opt->job.same_uuid)
		return complain(opt, "--reproducible and --same-uuid exclude each other");
	if (opt->job.hash_source && opt->job.medium.mapfile)
		return complain(opt, "--hash-source reads all of SOURCE: it and --mapfile exclude "
				"each other");
	if (opt->job.same_uuid && !opt->job.mkfs)
		return complain(opt, "--same-uuid goes with --mkfs");
	if (opt->job.same_uuid && bfo_mkfs_words_have(opt->job.mkfs_words, 'U'))
		return complain(opt, "--same-uuid and -U in --mkfs exclude each other");
	if (opt->job.mkfs)
		status = check_mkfs_target(opt);
	if (status >= 0)
		return status;
	if (opt->job.undo_file && opt->job.mkfs)
		return complain(opt, "-z cannot undo --mkfs; mke2fs(8) has -z too");
	if (opt->job.allow_empty && !opt->job.files_from)
		return complain(opt, "--allow-empty goes with --files-from");
	if (opt->job.files_from && opt->job.n_from)
		return complain(opt, "--files-from and --from exclude each other");
	if (opt->job.from0 && !has_list(opt))
		return complain(opt, "--from0 goes with --files-from, --exclude-from and --order "
				"list:FILE");
	return order_check("copy", &opt->job.order) < 0 ? check_stdin(opt) : EXIT_USAGE;
}

static int check(struct copy_options *opt, int argc, char **argv)
{
	const struct copy_syntax *syntax = opt->syntax;
	int status;

	if (argc - optind != !syntax->source + !syntax->target)
		return argument_complain(syntax->command, "%s takes %s", syntax->command,
					 syntax->operands);
	opt->job.source = syntax->source ? syntax->source : argv[optind];
	opt->job.target = syntax->target ? syntax->target : argv[argc - 1];
	if (!*opt->job.source || !*opt->job.target)
		return complain(opt, "%s must not be empty", syntax->source ? "TARGET" :
				syntax->target ? "SOURCE" : "SOURCE and TARGET");
	if (remote_spec_is(opt->job.source) || remote_spec_is(opt->job.target))
		return complain(opt, "an end that is ssh://HOST/PATH is for e2bfo copy");
	status = check_pairs(opt);
	if (status < 0)
		status = argument_check_medium(syntax->command, &opt->job.medium);
	if (status < 0)
		status = argument_partition(syntax->command, "SOURCE", &opt->common,
					    &opt->job.source);
	opt->job.medium.how.keep_done = !!opt->job.write_mapfile;
	opt->job.owners = opt->owners.v;
	if (!opt->job.n_from)
		opt->from[opt->job.n_from++] = "/";
	return status;
}

/* Where they cannot be read, the job says so. */
static int split_mkfs_args(struct copy_options *opt)
{
	int bad = opt->mkfs_args ? wordexp(opt->mkfs_args, &opt->mkfs_words,
					   WRDE_NOCMD | WRDE_UNDEF) : 0;

	if (bad == WRDE_NOSPACE)
		return no_memory();
	if (opt->mkfs_args && !bad)
		opt->job.mkfs_words = opt->mkfs_words.we_wordv;
	return -1;
}

/* Before getopt puts other words first: the record of the copy keeps them. */
static int note_words(struct copy_options *opt, int argc, char **argv)
{
	opt->from = calloc(argc + 1, sizeof(*opt->from));
	opt->said = calloc(argc + 1, sizeof(*opt->said));
	opt->exclude = calloc(argc + 1, sizeof(*opt->exclude));
	opt->no_xattrs = calloc(argc + 1, sizeof(*opt->no_xattrs));
	opt->manifests = calloc(argc + 1, sizeof(*opt->manifests));
	if (!opt->from || !opt->said || !opt->exclude || !opt->no_xattrs || !opt->manifests)
		return no_memory();
	memcpy(opt->said, argv, argc * sizeof(*argv));
	opt->directory = getcwd(NULL, 0);
	opt->job.from = opt->from;
	opt->job.exclude = opt->exclude;
	opt->job.no_xattrs = opt->no_xattrs;
	opt->job.manifests = opt->manifests;
	opt->job.said = opt->said;
	opt->job.n_said = argc;
	opt->job.directory = opt->directory;
	opt->job.environment = environ;
	return -1;
}

int options_read(struct copy_options *opt, int argc, char **argv, const struct copy_syntax *syntax)
{
	int c, status;

	*opt = (struct copy_options) { .job = { .to = "/", .read_gap = BFO_GAP_OF_DEVICE,
						.dir_fill = DIR_FILL, .out = STDOUT_FILENO } };
	opt->syntax = syntax;
	status = argument_common_init(&opt->common, argc);
	if (status < 0)
		status = note_words(opt, argc, argv);
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, syntax->table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = split_mkfs_args(opt);
	if (status < 0)
		status = check(opt, argc, argv);
	opt->job.memory = opt->common.memory;
	opt->job.bwlimit = opt->common.bwlimit;
	opt->job.journal = opt->common.journal;
	return status;
}

void options_free(struct copy_options *opt)
{
	order_texts_free(&opt->order_texts);
	if (opt->job.mkfs_words)
		wordfree(&opt->mkfs_words);
	argument_common_free(&opt->common);
	free(opt->from);
	free(opt->said);
	free(opt->exclude);
	free(opt->no_xattrs);
	free(opt->manifests);
	free(opt->mkfs_args);
	free(opt->directory);
	bfo_vec_free(&opt->owners);
}
