/*
 * The keys of the members, on the machine of the administrator: `~/.orchestra/fabric`.
 *
 * The seed of a member is written once, to a file that only this user can read; the list
 * of members has public keys only. To remove a member, remove its line and its file.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { OrchestraError } from '../errors.ts';
import { assertPrivate, makePrivate } from '../files/private-path.ts';
import { replaceFile } from '../files/replace-file.ts';
import { homeFolder } from '../hub/shared/private-folder.ts';
import { isObject } from '../wire/json.ts';
import { loadNats } from './connect-nats.ts';
import { ADMINISTRATOR, type Member } from './server-config.ts';

const PRIVATE = 0o600;

export class MemberKeys {
	readonly #folder: string;

	/** Of this user. */
	static ofUser(environment: Readonly<NodeJS.ProcessEnv>): MemberKeys {
		return new MemberKeys(homeFolder(environment['HOME'] || homedir(), 'fabric'));
	}

	private constructor(folder: string) {
		this.#folder = folder;
	}

	/** The file with the seed of a member. */
	seedFile(name: string): string {
		return join(this.#folder, `${name}.nk`);
	}

	/** The seed of the administrator. Throws `not_found` when there is none. */
	administratorSeed(): string {
		const file = this.seedFile(ADMINISTRATOR);
		assertPrivate(file);
		makePrivate(file, PRIVATE);
		if (existsSync(file)) return readFileSync(file, 'utf8').trim();
		throw new OrchestraError('not_found', `there is no key of the administrator in ${file}`, {
			hint: 'Run mctl fabric config on the machine where you manage the fabric.',
		});
	}

	/** The members that have a key. */
	list(): readonly Member[] {
		return this.#read();
	}

	/** All members, the administrator first; its key is made when it is missing. */
	async members(): Promise<Member[]> {
		const members = this.#read();
		if (members.some(({ name }) => name === ADMINISTRATOR)) return members;
		return [await this.add({ name: ADMINISTRATOR, calls: [] }), ...members];
	}

	/** Make the key of a new member. Throws `bad_input` when there is one of this name. */
	async add(about: Omit<Member, 'key'>): Promise<Member> {
		const members = this.#read();
		const file = this.seedFile(about.name);
		if (members.some(({ name }) => name === about.name) || existsSync(file)) {
			throw new OrchestraError('bad_input', `${about.name} has a key already: ${file}`, {
				hint: `To make a new one, remove ${file} and the line of ${about.name} in ${this.#listFile}.`,
			});
		}
		const { nkeys } = await loadNats();
		const pair = nkeys.createUser();
		const member = { ...about, key: pair.getPublicKey() };
		const seed = new TextDecoder().decode(pair.getSeed());
		writeFileSync(file, `${seed}\n`, { mode: PRIVATE, flag: 'wx' });
		const first = about.name === ADMINISTRATOR ? [member, ...members] : [...members, member];
		const lines = first.map((each) => `\t${JSON.stringify(each)}`).join(',\n');
		replaceFile(this.#listFile, Buffer.from(`[\n${lines}\n]\n`), { mode: PRIVATE });
		return member;
	}

	get #listFile(): string {
		return join(this.#folder, 'members.json');
	}

	#read(): Member[] {
		const file = this.#listFile;
		assertPrivate(file);
		if (!existsSync(file)) return [];
		const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
		if (Array.isArray(read) && read.every(isMember)) return read;
		throw new OrchestraError('bad_input', `${file} is not a list of members`, {
			hint: `Correct or remove ${file}.`,
		});
	}
}

function isMember(value: unknown): value is Member {
	return (
		isObject(value) &&
		typeof value['name'] === 'string' &&
		typeof value['key'] === 'string' &&
		Array.isArray(value['calls'])
	);
}
