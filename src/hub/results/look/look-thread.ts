/* The thread that answers one query about a stored result: it reads the file, answers, and ends. */
import { readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { answerWith } from '../../../process/bounded-thread.ts';
import { answerLook } from './answer-look.ts';
import type { LookJob } from './run-look.ts';

const { source, request, limit } = workerData as LookJob; // of `LookThreads`
await answerWith(() => {
	const text = 'text' in source ? source.text : readFileSync(source.path).toString('utf8', source.from);
	return answerLook(text, request, limit);
});
