// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the tests of what has threads, to be compiled with the thread sanitizer
 *
 * The pipe and the ring have a second thread, what is compressed has several; programs may have a
 * context of the library in each of theirs.  The sanitizer ends a test with status 66 when two
 * threads touch the same memory and nothing orders them, whatever came of it.
 */
#include <stdlib.h>

#include "../unit/unit.h"

Suite *api_threads_suite(void);
Suite *packed_suite(void);
Suite *pipe_suite(void);
Suite *ring_suite(void);

int main(void)
{
	SRunner *runner = srunner_create(pipe_suite());
	int failed;

	srunner_add_suite(runner, packed_suite());
	srunner_add_suite(runner, ring_suite());
	srunner_add_suite(runner, api_threads_suite());
	unit_folder_make();
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner) || !srunner_ntests_run(runner);
	srunner_free(runner);
	unit_folder_remove();
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
