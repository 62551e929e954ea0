/* Our ends against quic-go and Go's certificates, in both directions. Left out where Go is not there. */

import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import { Orchestrator } from '../../src/plugin/client/orchestrator-client.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import { startPluginProcess } from '../../src/plugin/client/plugin-process.ts';
import { definePlugin } from '../../src/plugin/sdk/define-plugin.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { buildGoPeer, runGoPeer, startGoServer } from '../support/go-peer.ts';
import { rejection } from '../support/links.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const built = await buildGoPeer();
const program = 'program' in built ? built.program : '';
if ('reason' in built) console.warn(`skipped, Go interoperability: ${built.reason}`);

describe.skipIf(program === '')('with a peer written in Go', () => {
	it('uses a certificate folder that Go made, and adds to it', async () => {
		const folder = await goFolder();
		const identity = await loadIdentity(folder, 'added-client');
		const authority = new X509Certificate(identity.ca);
		const leaf = new X509Certificate(identity.certificate);
		expect(leaf.verify(authority.publicKey) && leaf.checkIssued(authority)).toBe(true);
		expect((await loadIdentity(folder, 'orchestrator')).ca).toBe(identity.ca);
	});

	it('calls a Go server, more at once than it allows streams', async () => {
		const folder = await goFolder();
		const address = await startGoServer(program, folder);
		const client = await connect(address, folder, 'added-client');
		const calls = Array.from({ length: 500 }, (_, index) =>
			client.send({ request: { case: 'toolCall', value: { toolName: `t${index}` } } }),
		);
		const texts = (await Promise.all(calls)).map(({ response }) =>
			response.case === 'toolCall' ? response.value.result?.['text'] : response.case,
		);
		expect(texts).toEqual(calls.map((_, index) => `go ran t${index}`));
		const tools = await client.send({ request: { case: 'listTools', value: {} } });
		expect(tools.response).toMatchObject({ case: 'listTools', value: { tools: [{ name: 'go_tool' }] } });
	});

	it('answers a Go client, with certificates that Go made', async () => {
		const folder = await goFolder();
		expect(await callFromGo(folder, 300)).toEqual(
			Array.from({ length: 300 }, (_, index) => `go-${index} ours tool${index}`),
		);
	});

	it('answers a Go client with a certificate that we made for a Go authority', async () => {
		const folder = await goFolder();
		const lines = await callFromGo(folder, 3, 'hub-made-here');
		expect(lines).toEqual(['go-0 ours tool0', 'go-1 ours tool1', 'go-2 ours tool2']);
	});

	it('starts a Go plugin in a folder that we made, calls it, streams from it and cancels', async () => {
		const certsDir = temporaryFolder();
		const address = await serveTools(certsDir, 'orchestrator');
		const log: string[] = [];
		const options = {
			id: 'tools.go',
			binary: program,
			args: ['plugin'],
			certsDir,
			orchestratorAddress: address,
		};
		const plugin = await startPluginProcess({ ...options, kind: 'quic', onLog: (line) => log.push(line) });
		onTestFinished(() => plugin.stop());
		expect(plugin.tools.map(({ name }) => name)).toEqual(['go_tool']);
		const chunks: string[] = [];
		const value = { streamId: 's1', toolName: 'count' };
		for await (const { response } of plugin.client.sendStream({ request: { case: 'streamStart', value } })) {
			if (response.case === 'streamChunk') chunks.push(Buffer.from(response.value.data).toString());
			if (chunks.length === 3) break;
		}
		expect(chunks).toEqual(['0', '1', '2']);
		await until('the plugin notices the cancelation', () => log.includes('canceled s1'));
	});

	it('reads from a Go orchestrator: a missing file is missing, an existing one is not', async () => {
		const folder = await goFolder();
		const address = await startGoServer(program, folder, 'orchestrator');
		const { manifest } = definePlugin({ id: 'tools.ours', version: '1.0.0' });
		const orchestrator = new Orchestrator(manifest, () => connect(address, folder, 'tools.ours-client'));
		const error = await rejection(orchestrator.read('a.md'));
		expect(error).toMatchObject({ code: 'not_found', message: 'file not found: a.md' });
		writeFileSync(join(folder, 'a.md'), 'there');
		expect(Buffer.from((await orchestrator.read('a.md')).content).toString()).toBe('there');
	});

	it('is refused by a Go server of another authority', async () => {
		const address = await startGoServer(program, await goFolder());
		const error = await rejection(connect(address, await goFolder(), 'stranger-client'));
		expect(OrchestraError.is(error, 'closed')).toBe(true);
	});

	it('refuses a Go client of another authority', async () => {
		const ours = await goFolder();
		const address = await serveTools(ours, 'orchestrator');
		const error = await rejection(runGoPeer(program, 'call', await goFolder(), address, '1'));
		expect(String(error)).toMatch(/certificate/);
	});
});

async function goFolder(): Promise<string> {
	const folder = temporaryFolder();
	await runGoPeer(program, 'certs', folder);
	return folder;
}

async function connect(address: string, folder: string, name: string): Promise<PluginClient> {
	const client = await PluginClient.connect({
		kind: 'quic',
		address,
		identity: await loadIdentity(folder, name),
	});
	onTestFinished(() => client.close());
	return client;
}

async function serveTools(folder: string, name: string): Promise<string> {
	const identity = await loadIdentity(folder, name);
	const handlers = {
		register: () => ({ accepted: true }),
		toolCall: ({ toolName }: { toolName: string }) => ({
			success: true,
			result: { text: `ours ${toolName}` },
		}),
	};
	const server = await servePlugin({ kind: 'quic', address: 'localhost:0', identity, handlers });
	onTestFinished(() => server.close());
	return server.address;
}

async function callFromGo(folder: string, count: number, name = 'orchestrator'): Promise<string[]> {
	const address = await serveTools(folder, name);
	return runGoPeer(program, 'call', folder, address, String(count));
}
