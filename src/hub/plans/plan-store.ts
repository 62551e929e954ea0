/*
 * The plans of a user on disk: in the state folder, a folder for each principal, in it two files for each
 * plan. `<id>.json` is the head; `<id>.ndjson` has the lines. Both are written by the process that runs the plan.
 *
 * A line is written at once and whole, so it survives the end of the process. It is not forced to the disk: what a
 * failure of the power leaves is a shorter record, and the calls that are missing in it are made again only if
 * their line `sent` is missing too.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { isSameProcess, type ProcessIdentity } from '../shared/process-identity.ts';
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
const ID = /^[\da-f]{32}$/;

/** The lines of a plan that runs. */
export class PlanLog {
	readonly head: PlanHead;
	readonly #file: number;
	#bytes: number;
	#isOpen = true;

	constructor(head: PlanHead, path: string) {
		this.head = head;
		this.#file = openSync(path, 'a+', 0o600);
		this.#bytes = fstatSync(this.#file).size;
		// A line that a crash cut stays alone.
		if (this.#bytes > 0 && !this.#endsWithLine()) writeSync(this.#file, '\n');
	}

	/** Throws `bad_input` when the record is full: nothing may happen that is not recorded. */
	write(line: PlanLine): void {
		if (!this.#isOpen) throw new OrchestraError('closed', 'the plan has ended');
		const bytes = Buffer.from(`${encodeJson(line)}\n`);
		if (this.#bytes + bytes.length > PLAN_RECORD_BYTES && !('end' in line))
			throw new OrchestraError(
				'bad_input',
				`the record of the plan would have more than ${PLAN_RECORD_BYTES} bytes`,
				{
					hint: 'Let tools return less, or split the plan.',
				},
			);
		this.#bytes += bytes.length;
		let written = 0;
		while (written < bytes.length) written += writeSync(this.#file, bytes, written);
	}

	#endsWithLine(): boolean {
		const last = Buffer.alloc(1);
		readSync(this.#file, last, 0, 1, this.#bytes - 1);
		return last.toString() === '\n';
	}

	/** Idempotent. */
	close(): void {
		if (this.#isOpen) closeSync(this.#file);
		this.#isOpen = false;
	}
}

export class PlanStore {
	readonly #root: string;

	constructor(environment: Readonly<NodeJS.ProcessEnv>) {
		this.#root = join(stateFolder(environment), 'plans');
	}

	/** Record a plan before it starts. The caller closes the log. */
	create(head: PlanHead): PlanLog {
		const folder = this.#folder(head.principal);
		makeFolders(folder, 0o700);
		assertPrivate(folder);
		this.#sweep();
		writeState(this.#path(head, HEAD), head);
		return new PlanLog(head, this.#path(head, LINES));
	}

	/** A plan of a principal, of all of them without one; by its id or the beginning of it. */
	find(id: string, principal?: string): StoredPlan[] {
		const heads = this.list(principal).filter((head) => head.id.startsWith(id));
		return heads.map((head) => this.read(head));
	}

	/** The plan with its lines. A line that was cut by a crash is the last one, and is not there. */
	read(head: PlanHead): StoredPlan {
		const text = attempt(() => readRegularText(this.#path(head, LINES), 2 * PLAN_RECORD_BYTES)) ?? '';
		const lines = text.split('\n').flatMap((line) => {
			const found = line === '' ? undefined : planLineOf(attempt(() => JSON.parse(line) as unknown));
			return found ?? [];
		});
		return { head, lines };
	}

	/** Take a plan that its process left. Undefined when it has ended, or runs. The caller closes the log. */
	async take(
		head: PlanHead,
		owner: ProcessIdentity,
	): Promise<{ plan: StoredPlan; log: PlanLog } | undefined> {
		return withFolderLock(this.#folder(head.principal), async () => {
			const now = planHeadOf(readState(this.#path(head, HEAD)));
			if (now === undefined || isRunning(now)) return undefined;
			const plan = this.read(now);
			if (endOf(plan)) return undefined;
			const own = { ...now, owner };
			writeState(this.#path(head, HEAD), own);
			return { plan: { ...plan, head: own }, log: new PlanLog(own, this.#path(head, LINES)) };
		});
	}

	/** This process does not run it any more. */
	leave(head: PlanHead): void {
		writeState(this.#path(head, HEAD), { ...head, owner: NOBODY });
	}

	/** The plans of a principal, newest first; of all of them without one. */
	list(principal?: string): PlanHead[] {
		const folders = principal === undefined ? this.#folders() : [this.#folder(principal)];
		const heads = folders.flatMap((folder) =>
			namesIn(folder).flatMap((name) => {
				const [id = ''] = name.split('.');
				if (!name.endsWith(HEAD) || !ID.test(id)) return [];
				const head = planHeadOf(attempt(() => readState(join(folder, name))));
				return head?.id === id ? [head] : [];
			}),
		);
		return heads.sort((one, other) => other.startedAt - one.startedAt);
	}

	/** Remove what is too old, and the oldest that do not run, while there are too many. */
	#sweep(): void {
		let [count, bytes] = [1, 0];
		for (const head of this.list()) {
			count++;
			bytes += attempt(() => statSync(this.#path(head, LINES)).size) ?? 0;
			const isOld = head.startedAt < Date.now() - PLAN_STORED_MS;
			if (!isOld && count <= STORED_PLANS_LIMIT && bytes <= PLAN_STORE_BYTES) continue;
			if (isRunning(head)) continue;
			for (const kind of [HEAD, LINES]) rmSync(this.#path(head, kind), { force: true });
		}
	}

	#folders(): string[] {
		return namesIn(this.#root).map((name) => join(this.#root, name));
	}

	#folder(principal: string): string {
		return join(this.#root, sha256(principal).slice(0, 32));
	}

	#path({ principal, id }: Pick<PlanHead, 'principal' | 'id'>, kind: string): string {
		return join(this.#folder(principal), `${id}${kind}`);
	}
}

/** No process. */
const NOBODY: ProcessIdentity = { pid: 0, startTime: '' };

/** Whether the process that runs it lives. */
export function isRunning({ owner }: PlanHead): boolean {
	return owner.pid > 0 && isSameProcess(owner);
}

function namesIn(folder: string): string[] {
	// There may be none yet.
	return attempt(() => readdirSync(folder)) ?? [];
}
