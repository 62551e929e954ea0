/* The thread that answers one question about a kept result: it reads the file, answers, and ends. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { OrchestraError } from '../../../errors.ts';
import { answerLook } from './answer-look.ts';
import type { LookJob } from './run-look.ts';

const { source, request, limit } = workerData as LookJob; // of `runLook`
try {
	const text = 'text' in source ? source.text : readFileSync(source.path).toString('utf8', source.from);
	answer(answerLook(text, request, limit));
} catch (thrown) {
	// Nested too deeply, or written too long.
	const { code, message, hint } = OrchestraError.from(
		thrown,
		thrown instanceof RangeError ? 'bad_input' : 'internal',
	);
	answer({ code, message, hint });
}

function answer(message: object): void {
	// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
	parentPort?.postMessage(message);
}
