/*
 * The keys of the members, on the machine of the administrator: `~/.orchestra/fabric`.
 *
 * The seed of a member is written once, to a file that only this user can read; the list
 * of members has public keys only. While a key is rotated, the list has the old one too, so
 * that the member works with either until it has the new one.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { assertPrivate, makePrivate } from '../../files/private-path.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { FabricMember } from '../../hub/fabric-overview.ts';
import { homeFolder } from '../../hub/shared/private-folder.ts';
import { isObject } from '../../wire/json.ts';
import { loadNats } from '../link/connect-nats.ts';
import { ADMINISTRATOR, type Member } from './server-config.ts';

const PRIVATE = 0o600;

export class MemberKeys {
	readonly #folder: string;

	/** The keys of this user. */
	static ofUser(environment: Readonly<NodeJS.ProcessEnv>): MemberKeys {
		return new MemberKeys(homeFolder(environment['HOME'] || homedir(), 'fabric'));
	}

	private constructor(folder: string) {
		this.#folder = folder;
	}

	/** Where the certificates of the nodes of a cluster are. */
	get certificatesFolder(): string {
		return join(this.#folder, 'certs');
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

	/** The same without keys and the administrator. */
	facts(): FabricMember[] {
		return this.#read()
			.filter(({ name }) => name !== ADMINISTRATOR)
			.map(({ key: _key, retiring, ...member }) => ({ ...member, isRotating: retiring !== undefined }));
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
				hint: `mctl fabric rotate ${about.name} makes a new one, mctl fabric revoke ${about.name} removes it.`,
			});
		}
		const { key, seed } = await newKey();
		const member = { ...about, key };
		writeFileSync(file, `${seed}\n`, { mode: PRIVATE, flag: 'wx' });
		this.#write(about.name === ADMINISTRATOR ? [member, ...members] : [...members, member]);
		return member;
	}

	/** Remove a member and its seed. Throws `not_found` when there is none of this name. */
	revoke(name: string): void {
		const members = this.#read();
		this.#named(members, name);
		if (name === ADMINISTRATOR)
			throw new OrchestraError('bad_input', 'the administrator cannot be revoked', {
				hint: `mctl fabric rotate ${name} makes a new key.`,
			});
		this.#write(members.filter((member) => member.name !== name));
		rmSync(this.seedFile(name), { force: true });
	}

	/** Make a new key of a member; the old one is valid too until `finishRotation`. */
	async rotate(name: string): Promise<Member> {
		const members = this.#read();
		const before = this.#named(members, name);
		if (before.retiring !== undefined)
			throw new OrchestraError('bad_input', `the key of ${name} is being rotated already`, {
				hint: `When ${name} has its new key: mctl fabric rotate ${name} --finish`,
			});
		const { key, seed } = await newKey();
		const member = { ...before, key, retiring: before.key };
		// The list first: a seed that no server knows would lock the member out.
		this.#write(members.map((each) => (each.name === name ? member : each)));
		replaceFile(this.seedFile(name), Buffer.from(`${seed}\n`), { mode: PRIVATE });
		return member;
	}

	/** The old key of a member is valid no more. */
	finishRotation(name: string): void {
		const members = this.#read();
		const { retiring, ...member } = this.#named(members, name);
		if (retiring === undefined)
			throw new OrchestraError('bad_input', `the key of ${name} is not being rotated`, {
				hint: `mctl fabric rotate ${name} makes a new one.`,
			});
		this.#write(members.map((each) => (each.name === name ? member : each)));
	}

	#named(members: readonly Member[], name: string): Member {
		const found = members.find((member) => member.name === name);
		if (found) return found;
		const names = members.map((member) => member.name).join(', ') || 'none';
		throw new OrchestraError('not_found', `there is no member called ${name}`, {
			hint: `Members with a key on this machine: ${names}.`,
		});
	}

	#write(members: readonly Member[]): void {
		const lines = members.map((each) => `\t${JSON.stringify(each)}`).join(',\n');
		replaceFile(this.#listFile, Buffer.from(`[\n${lines}\n]\n`), { mode: PRIVATE });
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

async function newKey(): Promise<{ key: string; seed: string }> {
	const { nkeys } = await loadNats();
	const pair = nkeys.createUser();
	return { key: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}

function isMember(value: unknown): value is Member {
	return (
		isObject(value) &&
		typeof value['name'] === 'string' &&
		typeof value['key'] === 'string' &&
		Array.isArray(value['calls'])
	);
}
