/*
 * Storage requests of a plugin in Go, through `mctl serve`, byte for byte: which members of
 * an answer are there decides whether such a plugin sees a file or none.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { encodePluginRequest, type RequestInit } from '../../../src/plugin/codec.ts';
import { rpcErrorOf } from '../../../src/rpc/rpc-error.ts';
import type { Client } from '../../../src/transport/client.ts';
import { buildGoPeer } from '../../support/go-peer.ts';
import { callText, configuredFolder } from '../../support/plugins.ts';
import { thrownBy } from '../../support/programs.ts';

let go: Awaited<ReturnType<typeof buildGoPeer>>;
beforeAll(async () => {
	go = await buildGoPeer();
});

const path = 'notes/a.md';
const content = new Uint8Array([0x68, 0x69]);
const metadata = { a: 'b' };
const read = { case: 'storageRead', value: { path } } as const;

/** Answers in hex: the tag and length of the kind, then its members. */
const contentHex = '0a026869';
const missing = 'f20100';
const plain = `f20106${contentHex}1801`;
const emptyMetadata = `f20108${contentHex}12001801`;
const withMetadata = `f20112${contentHex}120a0a080a016112031a01621801`;

describe('a plugin in Go that reads from a storage plugin in Go', () => {
	it('gets the members that the storage plugin sent, and no others', async ({ skip }) => {
		if ('reason' in go) return skip(go.reason);
		const client = await openWith(go.program, ['--stores=markdown']);
		expect(await send(client, read)).toBe(missing);
		const answers = [];
		for (const given of [undefined, {}, metadata]) {
			await send(client, {
				case: 'storageWrite',
				value: { path, content, expectedVersion: -1n, ...(given && { metadata: given }) },
			});
			answers.push(await send(client, read));
		}
		expect(answers).toEqual([plain, emptyMetadata, withMetadata]);
	});

	it('gets storage_delete without success when the file is missing, from the plugin and from the hub', async ({
		skip,
	}) => {
		if ('reason' in go) return skip(go.reason);
		const remove = { case: 'storageDelete', value: { path } } as const;
		expect(await send(await openWith(go.program, ['--stores=markdown']), remove)).toBe('820200');
		expect(await send(await openWith(go.program), remove)).toBe('820200');
	});

	it('makes a missing file a resource that is not found', async ({ skip }) => {
		if ('reason' in go) return skip(go.reason);
		const client = await openWith(go.program, ['--stores=markdown']);
		await callText(client, 'go_tool');
		const error = await thrownBy(() => client.request('resources/read', { uri: 'orchestra://notes/a' }));
		expect(rpcErrorOf(error)).toMatchObject({ message: 'Resource not found: orchestra://notes/a' });
	});
});

describe('a plugin in Go that reads the files of the hub', () => {
	it('gets metadata only of a file that has some', async ({ skip }) => {
		if ('reason' in go) return skip(go.reason);
		const client = await openWith(go.program);
		const write = (given?: object): Promise<string> =>
			send(client, {
				case: 'storageWrite',
				value: { path, content, expectedVersion: -1n, ...(given && { metadata }) },
			});
		await write();
		expect(await send(client, read)).toBe(plain);
		await write(metadata);
		expect(await send(client, read)).toBe(withMetadata.replace(/01$/, '02'));
	});
});

/** `mctl serve` with a plugin that shows the bytes it gets; with flags, beside a storage plugin with them. */
async function openWith(program: string, storageFlags?: string[]): Promise<Client> {
	const raw = { id: 'tools.go', binary: program, args: ['plugin', '--raw'] };
	const storage = {
		id: 'storage.go',
		binary: program,
		args: ['plugin', '--id=storage.go', ...(storageFlags ?? [])],
		provides_storage: ['markdown'],
	};
	return configuredFolder({ plugins: storageFlags ? [raw, storage] : [raw] }).open();
}

function send(client: Client, request: NonNullable<RequestInit['request']>): Promise<string> {
	const hex = Buffer.from(encodePluginRequest({ request })).toString('hex');
	return callText(client, 'go_send', { hex });
}
