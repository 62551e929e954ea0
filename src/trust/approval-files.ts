/*
 * Requests for approval as files, so that `mctl approve` reaches every hub of the user:
 * the shared one, that of `mctl serve`, that of a single command.
 *
 * `<id>.json` is a request. `<id>.answer` is the decision, created once and never
 * replaced; it repeats the binding of the request, so that it fits no other one. The
 * folder is private, and the process that asks removes both.
 */
import { existsSync, linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from '../errors.ts';
import { isAlive } from '../files/folder-lock.ts';
import { makeFolders } from '../files/make-folders.ts';
import { assertPrivate, makePrivate } from '../files/private-path.ts';
import { readState, writeState } from '../files/state-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { isObject } from '../wire/json.ts';
import { type ApprovalRequest, bindingKey } from './approval-request.ts';
import { isArgumentRow } from './argument-row.ts';

/** Most requests that are read. */
const LISTED_REQUESTS = 1000;

/** The decision of a user. */
export type ApprovalAnswer = 'allow' | 'deny';

export class ApprovalFiles {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** The folder of this user. */
	static ofUser(environment: Readonly<NodeJS.ProcessEnv>): ApprovalFiles {
		return new ApprovalFiles(join(stateFolder(environment), 'approvals'));
	}

	/** Show a request. Throws when the folder is not private or cannot be written. */
	publish(request: ApprovalRequest): void {
		makeFolders(this.#folder, 0o700);
		assertPrivate(this.#folder);
		makePrivate(this.#folder, 0o700);
		this.remove(request.id);
		writeState(this.#path(request.id), request);
	}

	/** The answer to a request; undefined while there is none that fits. */
	answerTo(request: ApprovalRequest): ApprovalAnswer | undefined {
		const found = readState(this.#answerPath(request.id));
		if (!isObject(found) || found['binding'] !== bindingKey(request)) return undefined;
		const { decision } = found;
		return decision === 'allow' || decision === 'deny' ? decision : undefined;
	}

	/** Whether a request is still open. */
	has(id: string): boolean {
		return existsSync(this.#path(id));
	}

	/** Remove a request and its answer. */
	remove(id: string): void {
		rmSync(this.#path(id), { force: true });
		rmSync(this.#answerPath(id), { force: true });
	}

	/** Every request of a living process that has not expired, the oldest first. The others are removed. */
	list(now: number = Date.now()): ApprovalRequest[] {
		assertPrivate(this.#folder);
		return this.#ids()
			.flatMap((id) => {
				const request = readRequest(readState(this.#path(id)), id);
				if (request && Date.parse(request.expiresAt) > now && isAlive(request.pid)) return [request];
				this.remove(id);
				return [];
			})
			.sort((one, other) => (one.askedAt < other.askedAt ? -1 : 1));
	}

	/** Answer a request. False when it has an answer already. */
	answer(request: ApprovalRequest, decision: ApprovalAnswer): boolean {
		const path = this.#answerPath(request.id);
		const temporary = `${path}.${process.pid}`;
		writeFileSync(temporary, JSON.stringify({ decision, binding: bindingKey(request) }), { mode: 0o600 });
		try {
			// Unlike a rename, a link never replaces a file.
			linkSync(temporary, path);
			return true;
		} catch (error) {
			if (isCode(error, 'EEXIST')) return false;
			throw error;
		} finally {
			rmSync(temporary, { force: true });
		}
	}

	#ids(): string[] {
		// No call ever waited.
		if (!existsSync(this.#folder)) return [];
		// An answer that came too late has no request any more: `list` removes it, as any other rest.
		const ids = readdirSync(this.#folder).flatMap(
			(name) => /^([\da-f]{6,})\.(?:json|answer)$/.exec(name)?.[1] ?? [],
		);
		return [...new Set(ids)].slice(0, LISTED_REQUESTS);
	}

	#path(id: string): string {
		return join(this.#folder, `${id}.json`);
	}

	#answerPath(id: string): string {
		return join(this.#folder, `${id}.answer`);
	}
}

const textFields = [
	'client',
	'session',
	'tool',
	'argumentsSha256',
	'policyVersion',
	'rule',
	'root',
	'askedAt',
	'expiresAt',
] as const;

function readRequest(found: unknown, id: string): ApprovalRequest | undefined {
	if (!isObject(found) || found['id'] !== id) return undefined;
	const isWhole =
		textFields.every((name) => typeof found[name] === 'string') &&
		Number.isSafeInteger(found['pid']) &&
		Array.isArray(found['arguments']) &&
		found['arguments'].every(isArgumentRow);
	// Every field was checked.
	return isWhole ? (found as unknown as ApprovalRequest) : undefined;
}
