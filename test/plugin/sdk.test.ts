/* Whole plugin processes, as a hub starts them. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import type { LinkKind } from '../../src/link/link.ts';
import { Orchestrator } from '../../src/plugin/client/orchestrator-client.ts';
import { PluginClient } from '../../src/plugin/client/plugin-client.ts';
import { type PluginProcess, startPluginProcess } from '../../src/plugin/client/plugin-process.ts';
import { exactText, parseExact } from '../../src/plugin/exact-json.ts';
import { BootRequestSchema } from '../../src/plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import { definePlugin } from '../../src/plugin/sdk/define-plugin.ts';
import { parsePluginFlags } from '../../src/plugin/sdk/plugin-flags.ts';
import { exactResult, pluginHandlers } from '../../src/plugin/sdk/plugin-handlers.ts';
import type { PluginHandlers, ServerCall } from '../../src/plugin/server/handlers.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { rejection } from '../support/links.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const root = new URL('../..', import.meta.url).pathname;
const example = join(root, 'examples/plugins/projects/plugin.mjs');

for (const kind of ['quic', 'tls'] as const) {
	describe(`the projects plugin over ${kind}`, () => {
		it('serves everything in its definition, and ends at a shutdown', async () => {
			const files = new Map<string, Uint8Array>();
			const { plugin, registered } = await startExample(kind, files);
			expect(plugin.tools.map(({ name }) => name)).toEqual([
				'create_project',
				'create_feature',
				'list_features',
			]);
			expect(plugin.prompts.map(({ name }) => name)).toEqual(['plan_project']);
			expect(await call(plugin, 'create_project', { name: 'My App' })).toBe(
				'Created project: My App (slug: my-app)',
			);
			const feature = await call(plugin, 'create_feature', { project_id: 'my-app', title: 'Log in' });
			expect(feature).toBe('Created feature: Log in (id: my-app/log-in)');
			expect(await call(plugin, 'create_project', { name: '' })).toBe('validation_error');
			expect([...files.keys()]).toEqual(['my-app/project.md', 'my-app/features/log-in.md']);
			expect(await stream(plugin, 'list_features', { project_id: 'my-app' })).toEqual(['# Log in\n']);
			expect(registered).toMatchObject([{ id: 'tools.projects', providesPrompts: ['plan_project'] }]);
			await plugin.stop();
			await plugin.stop();
			expect(plugin.child.diagnose()).toMatchObject({ exitCode: 0, signal: null });
		});
	});
}

describe('a plugin process', () => {
	it('that shows the certificate of another plugin is refused, and both names are said', async () => {
		const certsDir = temporaryFolder();
		const error = await rejection(
			startPluginProcess({
				id: 'tools.other',
				binary: process.execPath,
				args: [example],
				orchestratorAddress: 'localhost:1',
				certsDir,
			}),
		);
		expect(OrchestraError.from(error).message).toContain(
			'shows the certificate of "tools.projects", not of "tools.other"',
		);
	});

	it('does not register with a server that is no orchestrator', async () => {
		const certsDir = temporaryFolder();
		const registered: string[] = [];
		const server = await servePlugin({
			kind: 'quic',
			address: 'localhost:0',
			identity: await loadIdentity(certsDir, 'tools.thief'),
			handlers: {
				register: ({ id }) => {
					registered.push(id);
					return { accepted: true };
				},
			},
		});
		onTestFinished(() => server.close());
		const plugin = definePlugin({ id: 'tools.honest', version: '1.0.0', tools: {} });
		const flags = { listenAddress: 'localhost:0', certsDir, orchestratorAddress: server.address };
		const running = await plugin.start({ ...flags, kind: 'quic' });
		onTestFinished(() => running.stop());
		await until(
			'the connection was turned away',
			() => server.counts.accepted > 0 && server.counts.open === 0,
		);
		expect(registered).toEqual([]);
	});

	it('prints its manifest as one JSON object', () => {
		const { stdout, status } = spawnSync(process.execPath, [example, '--manifest'], { encoding: 'utf8' });
		expect(status).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({
			id: 'tools.projects',
			provides_tools: ['create_project', 'create_feature', 'list_features'],
			provides_prompts: ['plan_project'],
			needs_storage: ['markdown'],
		});
	});

	it('ends cleanly at SIGTERM', async () => {
		const { plugin } = await startExample('quic', new Map());
		process.kill(plugin.child.pid, 'SIGTERM');
		expect(await plugin.child.exited).toEqual({ code: 0, signal: null });
		expect(OrchestraError.is(await plugin.client.closed, 'closed')).toBe(true);
	});

	it('that dies before it is ready is diagnosed with its last stderr lines', async () => {
		const certsDir = temporaryFolder();
		const script = 'console.error("no such module: left-pad"); process.exit(3)';
		const program = { id: 'broken', binary: process.execPath, args: ['-e', script, '--'] };
		const error = await rejection(
			startPluginProcess({ ...program, orchestratorAddress: 'localhost:1', certsDir }),
		);
		expect(error).toMatchObject({ data: { exitCode: 3, stderr: ['no such module: left-pad'] } });
	});

	it('takes its flags with one dash or two, and leaves others to the plugin', () => {
		expect(parsePluginFlags(['-orchestrator-addr=h:1', '--certs-dir', 'c'])).toMatchObject({
			orchestratorAddress: 'h:1',
			certsDir: 'c',
			listenAddress: 'localhost:0',
		});
		const own = ['--workspace=.', '--depth', '3', '-v', 'word', '--listen-addr=h:2', '--manifest'];
		expect(parsePluginFlags(own)).toMatchObject({ listenAddress: 'h:2', printsManifest: true });
		expect(() => parsePluginFlags(['--certs-dir'])).toThrowError(OrchestraError);
	});
});

describe('a defined plugin', () => {
	it('keeps every digit of its arguments and results between our own ends', async () => {
		const certsDir = temporaryFolder();
		const digits = '{"id":12345678901234567890}';
		const plugin = definePlugin({
			id: 'tools.digits',
			version: '1.0.0',
			tools: { same: { description: 'Echo', run: (_input, { inputText }) => exactResult(inputText) } },
		});
		const running = await plugin.start({ listenAddress: 'localhost:0', certsDir, kind: 'quic' });
		onTestFinished(() => running.stop());
		const identity = await loadIdentity(certsDir, 'orchestrator-to-tools.digits');
		const connect = () => PluginClient.connect({ address: running.address, identity, kind: 'quic' });
		const caller = new Orchestrator(plugin.manifest, connect);
		onTestFinished(() => caller.close());
		expect(exactText(await caller.callTool('same', parseExact(digits)))).toBe(digits);
	});

	it('refuses to boot when its hook throws', async () => {
		const definition = { id: 'x', version: '1', onBoot: () => Promise.reject(new Error('no config')) };
		const { manifest } = definePlugin(definition);
		const hooks = {
			orchestrator: new Orchestrator(manifest, undefined),
			shutDown: () => Promise.resolve(true),
		};
		const handlers = pluginHandlers(definition, hooks);
		const booting = Promise.resolve(handlers.boot?.(create(BootRequestSchema), callOf('x')));
		expect(String(await rejection(booting))).toContain('no config');
	});

	it('says so when it asks for an orchestrator that is not there', async () => {
		const { manifest } = definePlugin({ id: 'lonely', version: '1' });
		const error = await rejection(new Orchestrator(manifest, undefined).callTool('x', {}));
		expect(OrchestraError.is(error, 'not_found')).toBe(true);
	});

	it('must have an id that can be the name of a certificate', () => {
		expect(() => definePlugin({ id: '../x', version: '1' })).toThrowError(/cannot be the name/);
	});
});

function callOf(name: string): ServerCall {
	const closed = new Promise<OrchestraError>(() => {});
	const peer = { kind: 'quic' as const, name, address: '', closed, close: () => Promise.resolve() };
	return { requestId: '1', peer, signal: new AbortController().signal };
}

async function startExample(kind: LinkKind, files: Map<string, Uint8Array>) {
	const certsDir = temporaryFolder();
	const registered: unknown[] = [];
	const handlers: PluginHandlers = {
		register: (manifest) => {
			registered.push(manifest);
			return { accepted: true };
		},
		storageRead: ({ path }) => {
			const content = files.get(path);
			if (!content) throw new Error(`there is no file ${path}`);
			return { content, version: 1n };
		},
		storageWrite: ({ path, content }) => {
			files.set(path, content);
			return { success: true, newVersion: 1n };
		},
		storageList: ({ prefix }) => ({
			entries: [...files.keys()].filter((path) => path.startsWith(prefix)).map((path) => ({ path })),
		}),
	};
	const identity = await loadIdentity(certsDir, 'orchestrator');
	const hub = await servePlugin({ kind, address: 'localhost:0', identity, handlers });
	onTestFinished(() => hub.close());
	const program = { id: 'tools.projects', binary: process.execPath, args: [example], kind, certsDir };
	const plugin = await startPluginProcess({ ...program, orchestratorAddress: hub.address });
	onTestFinished(() => plugin.stop());
	return { plugin, registered };
}

async function call(
	plugin: PluginProcess,
	toolName: string,
	input: Record<string, string>,
): Promise<unknown> {
	const { response } = await plugin.client.send({
		request: { case: 'toolCall', value: { toolName, arguments: input } },
	});
	if (response.case !== 'toolCall') return response.case;
	return response.value.success ? response.value.result?.['text'] : response.value.errorCode;
}

async function stream(
	plugin: PluginProcess,
	toolName: string,
	input: Record<string, string>,
): Promise<string[]> {
	const chunks: string[] = [];
	const value = { streamId: 's', toolName, arguments: input };
	for await (const { response } of plugin.client.sendStream({ request: { case: 'streamStart', value } })) {
		if (response.case === 'streamChunk') chunks.push(Buffer.from(response.value.data).toString());
	}
	return chunks;
}
