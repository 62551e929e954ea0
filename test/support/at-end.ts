/* End what a test started: with the test, or with the file for what is started before the tests. */
import { afterAll, onTestFinished } from 'vitest';

const atEndOfFile: (() => unknown)[] = [];
afterAll(async () => {
	for (const end of atEndOfFile.reverse()) await end();
});

/** Call `end` when the running test is over, or the tests of the file when none runs. */
export function atEnd(end: () => unknown): void {
	try {
		onTestFinished(async () => {
			await end();
		});
	} catch {
		atEndOfFile.push(end); // called outside a test
	}
}
