/* The sources whose tools are not listed: they are starting, or they failed. */
import { firstLine } from '../errors.ts';
import { REASON_CHARACTERS } from '../process/process-limits.ts';
import type { ReportedSource } from './source-status.ts';

export interface AbsentServer {
	readonly id: string;
	readonly state: 'starting' | 'failed';
	/** Why it failed. */
	readonly reason?: string | undefined;
}

/** The servers that have not answered, in configuration order. */
export function absentServers(sources: readonly ReportedSource[]): AbsentServer[] {
	return sources.flatMap(({ id, status: { isListed = true, error } }): AbsentServer[] => {
		if (isListed) return [];
		return [error ? { id, state: 'failed', reason: error.message } : { id, state: 'starting' }];
	});
}

/** True while a source whose tools are not listed may still answer. */
export function isAnyStarting(sources: readonly ReportedSource[]): boolean {
	return sources.some(({ status: { isListed, error } }) => isListed === false && error === undefined);
}

/** A sentence for each state, for the model of a client; none when nothing is absent. */
export function absenceText(absent: readonly AbsentServer[]): string {
	const starting = absent.filter(({ state }) => state === 'starting').map(({ id }) => id);
	const failed = absent.filter(({ state }) => state === 'failed').map(failureOf);
	return [
		...(starting.length > 0
			? [`Still starting, so not searched: ${starting.join(', ')}. Try again later.`]
			: []),
		...(failed.length > 0 ? [`Failed to start: ${failed.join('; ')}.`] : []),
	].join('\n');
}

function failureOf({ id, reason = '' }: AbsentServer): string {
	const line = firstLine(reason);
	const short = line.length > REASON_CHARACTERS ? `${line.slice(0, REASON_CHARACTERS)}…` : line;
	return short === '' ? id : `${id} (${short.replace(/[.\s]+$/, '')})`;
}
