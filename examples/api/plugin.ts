/* `orchestra-hub/plugin`: a plugin with a tool, a stream, a prompt and storage, and a client that calls it. */
import { ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	definePlugin,
	type ExactResult,
	exactResult,
	type Identity,
	loadIdentity,
	type Orchestrator,
	type Plugin,
	type PluginCall,
	PluginClient,
	type PluginDefinition,
	type PluginPrompt,
	type PluginStreamingTool,
	type PluginTool,
	type RunningPlugin,
	type StorageHandlers,
	toolFailure,
} from 'orchestra-hub/plugin';

const double: PluginTool<{ type: 'object'; properties: { n: { type: 'number' } }; required: ['n'] }> = {
	description: 'Double a number',
	run({ n }, { inputText, signal }: PluginCall): ExactResult {
		signal.throwIfAborted();
		if (!Number.isFinite(n)) throw toolFailure(`${inputText} has no number`);
		return exactResult(`{"n":${2 * n}}`); // the digits as they are written, also those that a number would lose
	},
};
const count: PluginStreamingTool = {
	description: 'Count to three',
	async *run() {
		for (const n of [1, 2, 3]) yield `${n}\n`;
	},
};
const review: PluginPrompt = {
	description: 'Review a file',
	arguments: [{ name: 'file', required: true }],
	render: ({ file }) => [{ role: 'user', text: `Review ${file}.` }],
};
const storage: StorageHandlers = {
	storageRead: () => ({ content: Buffer.from('one note'), version: 1n }),
	storageList: () => ({ entries: [] }),
};
const events: object[] = [];
const definition: PluginDefinition = {
	id: 'tools.example',
	version: '1.0.0',
	tools: { double: double as PluginTool },
	streamingTools: { count },
	prompts: { review },
	storage: { types: ['notes'], ...storage },
	manifest: { needsEvents: ['features'] },
	onEvent: (event) => void events.push(event),
	onBoot: (_config, orchestrator: Orchestrator) => void orchestrator.isAvailable,
};

const certsDir = await mkdtemp(join(tmpdir(), 'certs-'));
const plugin: Plugin = definePlugin(definition);
const running: RunningPlugin = await plugin.start({ listenAddress: 'localhost:0', certsDir });
const identity: Identity = await loadIdentity(certsDir, 'my-client');
const client = await PluginClient.connect({ address: running.address, identity });
const value = { toolName: 'double', arguments: { n: 21 } };
const { response } = await client.send({ request: { case: 'toolCall', value } });
ok(response.case === 'toolCall' && response.value.result?.['n'] === 42);
await client.close();
await running.stop();
await running.stopped;
ok(events.length === 0);
await rm(certsDir, { recursive: true });
