/*
 * What needs the attention of the user, the worst first: servers that do not work, sign-ins, tools
 * that changed, variables without a value, files that are not trusted, a hub that is not the program on disk.
 */
import { relative } from 'node:path';
import { blockedText, trustHint } from '../../config/trust/blocked.ts';
import { isInside } from '../../files/is-inside.ts';
import { healthOf } from '../../hub/source-status.ts';
import type { AttentionRow, HubFacts, ProblemRow, SourceRow } from '../api/api-types.ts';
import { serverCommand, signInCommand } from '../commands/mctl-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

export interface AttentionFacts extends Pick<DashboardDeps, 'opened'> {
	readonly hub: Pick<HubFacts, 'version' | 'filesVersion'>;
	readonly backends: readonly SourceRow[];
}

/** The rows, at most one for each thing. */
export function attentionRows({ opened, hub, backends }: AttentionFacts): AttentionRow[] {
	const { root } = opened.configuration();
	const rows = [
		...backends.flatMap(serverRow),
		...backends.flatMap(driftRow),
		...problemRows({ opened }).map((problem) => problemRow(problem, root)),
		...versionRow(hub),
	];
	return rows.toSorted((one, other) => Number(other.level === 'bad') - Number(one.level === 'bad'));
}

/** A row without what most have not. */
function rowOf(row: Pick<AttentionRow, 'level' | 'kind' | 'title'> & Partial<AttentionRow>): AttentionRow {
	return { reason: null, hint: null, server: null, command: null, ...row };
}

function serverRow(row: SourceRow): AttentionRow[] {
	const { id, state, lastError: reason, hint } = row;
	if (row.needsSignIn) {
		const title = `${id} needs a sign-in`;
		return [rowOf({ level: 'warn', kind: 'sign-in', title, reason, server: id, command: signInCommand(id) })];
	}
	const health = healthOf(row);
	const level = health === 'bad' ? 'bad' : 'warn';
	if (health !== 'bad' && state !== 'unhealthy') return [];
	const title = state === 'failed' ? `${id} failed` : `${id} is ${state}`;
	const action = row.actions.find((each) => each === 'start' || each === 'restart');
	const command = action === undefined ? null : serverCommand(action, id);
	return [{ level, kind: 'server', title, reason, hint, server: id, command }];
}

function driftRow({ id, drifted }: SourceRow): AttentionRow[] {
	if (drifted === 0) return [];
	const [tools, have] = drifted === 1 ? ['1 tool', 'has'] : [`${drifted} tools`, 'have'];
	const title = `${tools} of ${id} ${have} changed since you accepted them`;
	return [rowOf({ level: 'warn', kind: 'drift', title, server: id, command: 'mctl trust diff' })];
}

/** A file of the project is named from its folder. */
function problemRow({ message, hint, file, key, unset }: ProblemRow, root: string): AttentionRow {
	const near = file !== null && isInside(file, root) ? relative(root, file) : file;
	const where = [near, key].filter((each) => each !== null).join(' · ') || null;
	if (unset.length > 0) {
		const names = unset.map((name) => `\${${name}}`).join(', ');
		const title = `${names} ${unset.length === 1 ? 'has' : 'have'} no value`;
		const next = 'Set it where the hub is started, or write a default as in ${NAME:-value}.';
		return rowOf({ level: 'warn', kind: 'variable', title, reason: where, hint: next });
	}
	if (hint !== null) return rowOf({ level: 'warn', kind: 'trust', title: message, reason: where, hint });
	const command = 'mctl doctor';
	return rowOf({ level: 'bad', kind: 'configuration', title: message, reason: where, command });
}

function versionRow({ version, filesVersion }: AttentionFacts['hub']): AttentionRow[] {
	if (version === filesVersion) return [];
	const title = `The hub runs version ${version}, and ${filesVersion} is installed`;
	const command = 'mctl hub stop && mctl dashboard';
	return [rowOf({ level: 'warn', kind: 'version', title, command })];
}

/** Project files that are not trusted, and the problems of the configuration. */
export function problemRows({ opened }: Pick<DashboardDeps, 'opened'>): ProblemRow[] {
	const { blocked, problems } = opened.loaded();
	const blockedRows = blocked.map((each) => ({
		message: blockedText(each),
		hint: trustHint(each),
		file: each.file,
		key: null,
		unset: [],
	}));
	const others = problems.map(({ message, file, key, unset = [] }) => ({
		message,
		hint: null,
		file,
		key: key === '' ? null : key,
		unset,
	}));
	return [...blockedRows, ...others];
}
