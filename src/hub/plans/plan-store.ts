/*
 * The plans of a user on disk: in the state folder, a folder for each principal, in it two files for each
 * plan. `<id>.json` is the head; `<id>.ndjson` has the lines. Both are written by the process that runs the plan.
 *
 * A line is written at once and whole, so it survives the end of the process. It is not forced to the disk: what a
 * failure of the power leaves is a shorter record. A line at the end that was cut was never acted upon, and is removed.
 * The lines are a hash chain: one that was changed or is missing may hide a call that was made, so no hub goes on with
 * such a plan.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { namesIn } from '../../files/names-in.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import {
	type ChainLink,
	chainBatch,
	chainStart,
	isIntactBatch,
	readChainedLine,
} from '../../trust/hash-chain.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { PrincipalFolders, STORED_ID } from '../shared/principal-folders.ts';
import { isSameProcess, NO_PROCESS, type ProcessIdentity } from '../shared/process-identity.ts';
import { PLAN_RECORD_BYTES, PLAN_STORE_BYTES, PLAN_STORED_MS, STORED_PLANS_LIMIT } from './plan-limits.ts';
import {
	endOf,
	type PlanHead,
	type PlanLine,
	planHeadOf,
	planLineOf,
	type StoredPlan,
} from './plan-record.ts';

const HEAD = '.json';
const LINES = '.ndjson';

/** Where lines are appended. */
interface RecordEnd {
	/** How much of the file counts. */
	readonly bytes: number;
	readonly last: ChainLink;
}

/** The lines of a plan that runs. */
export class PlanLog {
	readonly #file: number;
	#bytes: number;
	/** The last line. */
	#last: ChainLink;
	#isOpen = true;

	/** @param bytes how much of the file counts; the rest is removed */
	constructor(path: string, { bytes, last }: RecordEnd = { bytes: 0, last: chainStart }) {
		this.#file = openSync(path, 'a', 0o600);
		this.#bytes = bytes;
		this.#last = last;
		if (fstatSync(this.#file).size > bytes) ftruncateSync(this.#file, bytes);
	}

	/**
	 * Nothing may happen that is not recorded. Throws `bad_input` when the record is full, `io` when it cannot be written:
	 * then nothing of the line is in it.
	 */
	write(line: PlanLine): void {
		if (!this.#isOpen) throw new OrchestraError('closed', 'the plan has ended');
		const { text, link } = chainBatch(this.#last, [encodeJson(line).slice(1, -1)]);
		const bytes = Buffer.from(text);
		if (this.#bytes + bytes.length > PLAN_RECORD_BYTES && !('end' in line))
			throw new OrchestraError(
				'bad_input',
				`the record of the plan would have more than ${PLAN_RECORD_BYTES} bytes`,
				{ hint: 'Let tools return less, or split the plan.' },
			);
		try {
			for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
			this.#bytes += bytes.length;
			this.#last = link;
		} catch (cause) {
			attempt(() => ftruncateSync(this.#file, this.#bytes));
			throw new OrchestraError('io', `the record of the plan could not be written: ${messageOf(cause)}`, {
				hint: 'Make room, then go on with it: mctl plan resume.',
				cause,
			});
		}
	}

	/** Idempotent. */
	close(): void {
		if (this.#isOpen) closeSync(this.#file);
		this.#isOpen = false;
	}
}

export class PlanStore {
	readonly #folders: PrincipalFolders;

	constructor(environment: Readonly<NodeJS.ProcessEnv>) {
		this.#folders = new PrincipalFolders(environment, 'plans');
	}

	/** Record a plan before it starts. The caller closes the log. */
	create(head: PlanHead, input: string): PlanLog {
		this.#folders.make(head.principal);
		this.#sweep();
		// A head without lines would be a plan that made no calls.
		const log = new PlanLog(this.#folders.path(head, LINES));
		log.write({ input });
		writeState(this.#folders.path(head, HEAD), head);
		return log;
	}

	/** The plan with its lines. Throws what the system says when they cannot be read. */
	read(head: PlanHead): StoredPlan {
		return this.#read(head).plan;
	}

	/**
	 * Take a plan that its process left, with the approval in `head`. Undefined when it has ended, or runs. The caller closes
	 * the log.
	 */
	async take(
		head: PlanHead,
		owner: ProcessIdentity,
	): Promise<{ plan: StoredPlan; log: PlanLog } | undefined> {
		return withFolderLock(this.#folders.of(head.principal), async () => {
			const now = planHeadOf(readState(this.#folders.path(head, HEAD)));
			if (now === undefined || isRunning(now)) return undefined;
			const { plan, end } = this.#read(now);
			if (plan.damage !== undefined)
				throw new OrchestraError('bad_input', `the record of the plan is damaged: ${plan.damage}`, {
					hint: `Calls may be missing in it, so nothing is called. See what it did: mctl plan show ${head.id.slice(0, 8)}`,
				});
			if (endOf(plan)) return undefined;
			const own = { ...head, owner };
			writeState(this.#folders.path(head, HEAD), own);
			return { plan: { ...plan, head: own }, log: new PlanLog(this.#folders.path(head, LINES), end) };
		});
	}

	/** This process does not run it any more. */
	leave(head: PlanHead): void {
		writeState(this.#folders.path(head, HEAD), { ...head, owner: NO_PROCESS });
	}

	/** The plans of a principal, newest first; of all of them without one. */
	list(principal?: string): PlanHead[] {
		const folders = this.#folders.all(principal);
		const heads = folders.flatMap((folder) => idsIn(folder).flatMap((id) => headIn(folder, id) ?? []));
		return heads.sort((one, other) => other.startedAt - one.startedAt);
	}

	#read(head: PlanHead): { plan: StoredPlan; end: RecordEnd } {
		// Its lines were written before its head.
		const file = readRegularFile(this.#folders.path(head, LINES), 2 * PLAN_RECORD_BYTES);
		const bytes = file.lastIndexOf('\n') + 1;
		const { lines: all, last, bad } = chained(file.toString('utf8', 0, bytes).split('\n').slice(0, -1));
		const [first, ...lines] = all;
		const input = first && 'input' in first ? first.input : undefined;
		const damage =
			(bad !== undefined && `line ${bad} was changed, or one before it is missing`) ||
			(input === undefined && 'it has no input') ||
			(sha256(head.code) !== head.sha256 && 'its program was changed');
		const plan = { head, input: input ?? 'null', lines, damage: damage || undefined };
		return { plan, end: { bytes, last } };
	}

	/** Remove what is too old, and the oldest that do not run, while there are too many. */
	#sweep(): void {
		const files = this.#folders.all().flatMap((folder) =>
			idsIn(folder).flatMap((id) => {
				const found = attempt(() => statSync(join(folder, id + LINES)));
				return found ? [{ folder, id, size: found.size, at: found.mtimeMs }] : [];
			}),
		);
		let [count, bytes] = [1, 0];
		for (const { folder, id, size, at } of files.sort((one, other) => other.at - one.at)) {
			count++;
			bytes += size;
			const isOld = at < Date.now() - PLAN_STORED_MS;
			if (!isOld && count <= STORED_PLANS_LIMIT && bytes <= PLAN_STORE_BYTES) continue;
			const head = headIn(folder, id);
			if (head && isRunning(head)) continue;
			for (const kind of [HEAD, LINES]) rmSync(join(folder, id + kind), { force: true });
		}
	}
}

/** Lines of a file, as far as they can be read, and the number of the first that breaks the chain. */
function chained(rawLines: readonly string[]): {
	lines: PlanLine[];
	last: ChainLink;
	bad: number | undefined;
} {
	const lines: PlanLine[] = [];
	let last = chainStart;
	let bad: number | undefined;
	for (const [at, text] of rawLines.entries()) {
		const found = readChainedLine(text);
		const line = planLineOf(found?.fields);
		if (line) lines.push(line);
		const isNext = found?.n === last.n + 1 && found.end?.previous === last.hash && isIntactBatch(text);
		if (line === undefined || !isNext) bad ??= at + 1;
		last = { n: found?.n ?? 0, hash: found?.end?.hash ?? '' };
	}
	return { lines, last, bad };
}

/** The plan with this id, or with an id that begins so. Throws `not_found`. */
export function planWithId(heads: readonly PlanHead[], id: string): PlanHead {
	const found = heads.filter((head) => head.id.startsWith(id));
	const [head] = found;
	if (head && found.length === 1) return head;
	throw new OrchestraError(
		'not_found',
		head ? `${found.length} plans begin with "${id}"` : `no plan begins with "${id}"`,
		{ hint: 'See them with: mctl plan ls' },
	);
}

/** Whether the process that runs it lives. */
export function isRunning({ owner }: PlanHead): boolean {
	return isSameProcess(owner);
}

/** Undefined for one that is damaged, and without its lines. */
function headIn(folder: string, id: string): PlanHead | undefined {
	const head = planHeadOf(attempt(() => readState(join(folder, id + HEAD))));
	return head?.id === id ? head : undefined;
}

function idsIn(folder: string): string[] {
	return namesIn(folder).flatMap((name) => {
		const id = name.slice(0, -LINES.length);
		return name.endsWith(LINES) && STORED_ID.test(id) ? [id] : [];
	});
}
