/*
 * The value of a presence in the bucket: the hashes of the bodies, and what the worker says
 * about itself. Every hub receives every presence, so the members have short names.
 *
 * Members that another version does not know are ignored by it, so versions may be mixed. A
 * draining worker names no bodies: a hub of any version then lists none of its tools.
 */
import { attempt } from '../../errors.ts';
import type { WorkerFacts } from '../../hub/fabric-overview.ts';
import { isObject } from '../../wire/json.ts';
import { LABELS_LIMIT, PRESENCE_HASHES_LIMIT, PRESENCE_TEXT_CHARACTERS } from '../fabric-limits.ts';

/** The facts of a worker about itself, besides its name. */
export type PresenceFacts = Omit<WorkerFacts, 'name'>;

export function presenceText(hashes: readonly string[], facts: PresenceFacts): string {
	const { version, labels, running, limit, hubLimit, isDraining } = facts;
	return JSON.stringify({
		h: isDraining ? [] : hashes,
		...(version !== null && { v: version }),
		...(labels.length > 0 && { l: labels }),
		...(running > 0 && { n: running }),
		...(limit !== null && { c: limit }),
		...(hubLimit !== null && { p: hubLimit }),
		...(isDraining && { d: true }),
	});
}

/** Read it. What is not as it must be is left out: another program may have written it. */
export function readPresence(text: string): { hashes: readonly string[]; facts: PresenceFacts } {
	const read: unknown = attempt(() => JSON.parse(text));
	const { h, v, l, n, c, p, d } = isObject(read) ? read : {};
	const hashes = stringsOf(h).filter((hash) => /^[0-9a-f]{1,64}$/.test(hash));
	return {
		hashes: hashes.slice(0, PRESENCE_HASHES_LIMIT),
		facts: {
			version: typeof v === 'string' ? v.slice(0, PRESENCE_TEXT_CHARACTERS) : null,
			labels: stringsOf(l)
				.filter((label) => label.length <= PRESENCE_TEXT_CHARACTERS)
				.slice(0, LABELS_LIMIT),
			running: countOf(n) ?? 0,
			limit: countOf(c),
			hubLimit: countOf(p),
			isDraining: d === true,
		},
	};
}

function countOf(value: unknown): number | null {
	return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function stringsOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
