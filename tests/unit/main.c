// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - runs the unit tests, all suites of the table below or a part of them
 *
 * check is told by the environment: CK_RUN_SUITE and CK_RUN_CASE choose, CK_FORK=no runs all in
 * one process (debuggers, valgrind), CK_TIMEOUT_MULTIPLIER grants more time, CK_VERBOSITY more
 * words.  UNIT_SEED makes other random inputs.  TMPDIR needs room for a few images of 100 MiB,
 * most of it holes.
 */
#include <stdlib.h>
#include <ext2fs/ext2_err.h>

#include "unit.h"

Suite *acl_suite(void);
Suite *amend_suite(void);
Suite *api_suite(void);
Suite *api_batch_suite(void);
Suite *api_threads_suite(void);
Suite *arrive_suite(void);
Suite *attrs_suite(void);
Suite *archive_suite(void);
Suite *batch_suite(void);
Suite *batch_random_suite(void);
Suite *batch_model_suite(void);
Suite *batch_write_suite(void);
Suite *batches_suite(void);
Suite *commit_suite(void);
Suite *composite_suite(void);
Suite *commit_fail_suite(void);
Suite *commit_fit_suite(void);
Suite *digest_suite(void);
Suite *journal_suite(void);
Suite *quota_slot_suite(void);
Suite *record_suite(void);
Suite *ring_suite(void);
Suite *transaction_suite(void);
Suite *container_suite(void);
Suite *crc32c_suite(void);
Suite *dir_edit_suite(void);
Suite *dir_suite(void);
Suite *dir_xattrs_suite(void);
Suite *dirimage_suite(void);
Suite *charge_suite(void);
Suite *end_suite(void);
Suite *extent_suite(void);
Suite *extract_suite(void);
Suite *extract_hostile_suite(void);
Suite *extract_names_suite(void);
Suite *extsort_suite(void);
Suite *filter_suite(void);
Suite *fit_suite(void);
Suite *folded_suite(void);
Suite *hasher_suite(void);
Suite *htree_suite(void);
Suite *inode_image_suite(void);
Suite *intake_suite(void);
Suite *job_options_suite(void);
Suite *json_suite(void);
Suite *json_in_suite(void);
Suite *landing_suite(void);
Suite *layout_suite(void);
Suite *mapfile_suite(void);
Suite *manifest_suite(void);
Suite *manifest_read_suite(void);
Suite *maps_suite(void);
Suite *marks_suite(void);
Suite *media_suite(void);
Suite *metadata_suite(void);
Suite *metadata_dir_suite(void);
Suite *members_suite(void);
Suite *mine_suite(void);
Suite *refs_suite(void);
Suite *regions_suite(void);
Suite *cache_suite(void);
Suite *trace_text_suite(void);
Suite *merge_suite(void);
Suite *merge_clash_suite(void);
Suite *merge_random_suite(void);
Suite *names_suite(void);
Suite *order_suite(void);
Suite *pace_suite(void);
Suite *pairs_suite(void);
Suite *packed_suite(void);
Suite *pax_put_suite(void);
Suite *pax_suite(void);
Suite *path_suite(void);
Suite *pack_suite(void);
Suite *pipe_suite(void);
Suite *progress_suite(void);
Suite *quota_damage_suite(void);
Suite *quota_suite(void);
Suite *quota_use_suite(void);
Suite *range_suite(void);
Suite *rank_suite(void);
Suite *kept_suite(void);
Suite *replay_suite(void);
Suite *reread_suite(void);
Suite *runs_suite(void);
Suite *send_level_suite(void);
Suite *sequence_suite(void);
Suite *sort_suite(void);
Suite *space_suite(void);
Suite *spec_suite(void);
Suite *spill_suite(void);
Suite *context_suite(void);
Suite *tar_suite(void);
Suite *text_suite(void);
Suite *thread_suite(void);
Suite *stand_in_suite(void);
Suite *stream_suite(void);
Suite *values_suite(void);
Suite *vec_suite(void);
Suite *itrees_suite(void);
Suite *itree_format_suite(void);
Suite *itree_build_suite(void);
Suite *itree_tree_suite(void);
Suite *itree_change_suite(void);
Suite *itree_match_suite(void);
Suite *itree_damage_suite(void);
Suite *words_suite(void);
Suite *xattr_suite(void);
Suite *xattr_image_suite(void);
Suite *xattr_split_suite(void);
Suite *zeroes_suite(void);

/* The longest first: who runs several parts at a time does not wait for it at the end. */
static Suite *(*const suites[])(void) = {
	commit_fail_suite, batch_model_suite, batch_write_suite,
	vec_suite, rank_suite, kept_suite, marks_suite, range_suite, sort_suite, extsort_suite,
	spill_suite, spec_suite, crc32c_suite, hasher_suite, context_suite, text_suite,
	thread_suite, ring_suite, stand_in_suite,
	stream_suite,
	json_suite, json_in_suite, words_suite,
	job_options_suite, manifest_suite, manifest_read_suite,
	metadata_suite, metadata_dir_suite,
	progress_suite, mine_suite,
	trace_text_suite, refs_suite,
	path_suite,
	names_suite, dirimage_suite, htree_suite, dir_edit_suite,
	extent_suite, landing_suite, filter_suite,
	merge_suite, merge_clash_suite, merge_random_suite, order_suite, folded_suite,
	sequence_suite, space_suite,
	runs_suite, inode_image_suite, intake_suite, archive_suite, members_suite, acl_suite,
	tar_suite, pax_put_suite, packed_suite, send_level_suite,
	extract_suite, extract_names_suite, extract_hostile_suite,
	dir_suite, dir_xattrs_suite, end_suite, amend_suite, zeroes_suite,
	xattr_suite, xattr_split_suite,
	xattr_image_suite, fit_suite,
	quota_suite, quota_damage_suite, quota_use_suite, charge_suite,
	batch_suite, batch_random_suite, pace_suite, regions_suite, cache_suite, media_suite,
	mapfile_suite,
	batches_suite, pack_suite, composite_suite, pipe_suite, reread_suite, commit_suite,
	arrive_suite,
	journal_suite, record_suite, commit_fit_suite, transaction_suite, digest_suite,
	quota_slot_suite, replay_suite,
	container_suite, layout_suite,
	attrs_suite, values_suite, maps_suite, pairs_suite, pax_suite,
	itree_format_suite, itree_build_suite, itree_tree_suite, itree_change_suite,
	itree_match_suite, itree_damage_suite, itrees_suite,
	api_suite, api_batch_suite, api_threads_suite,
};

/* unit [PART OF]: every OFth suite, from number PART on; all of them without. */
int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	size_t part = argc > 2 ? atoi(argv[1]) : 0, of = argc > 2 ? atoi(argv[2]) : 1, i;
	int failed;

	if (of < 1 || part >= of)
		return EXIT_FAILURE;

	initialize_bfo_error_table();
	initialize_ext2_error_table();
	for (i = part; i < sizeof(suites) / sizeof(suites[0]); i += of)
		srunner_add_suite(runner, suites[i]());
	unit_folder_make();
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	if (!srunner_ntests_run(runner))
		failed = 1;		/* a suite that does not exist is no success */
	srunner_free(runner);
	unit_folder_remove();
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
