/* End what a test started: with the test, or with the file for what is started before the tests. */
import { onTestFinished } from 'vitest';

const ends: (() => unknown)[] = [];

/** Call `end` when the running test is over, or the tests of the file when none runs. */
export function atEnd(end: () => unknown): void {
	try {
		onTestFinished(async () => {
			await end();
		});
	} catch {
		atEndOfFile(end); // called outside a test
	}
}

/** Call `end` when the tests of the file are over; what was started last ends first. */
export function atEndOfFile(end: () => unknown): void {
	ends.push(end);
}

/** The tests of the file are over. */
export async function endFile(): Promise<void> {
	for (const end of ends.splice(0).reverse()) await end();
}
