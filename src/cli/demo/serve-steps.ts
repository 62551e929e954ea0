/* Steps that show what an agent gets from `mctl serve`: tools in several languages, the library, both eras. */
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { findCommand } from '../../process/find-command.ts';
import type { Client } from '../../transport/client.ts';
import { type DemoInput, type DemoStep, expect, inFolder, joinedText } from './step.ts';

export const serveSteps: readonly DemoStep[] = [
	{ title: 'an agent calls tools written in JavaScript, Python and shell', run: callTools },
	{ title: 'the library gives a task what it needs, inside a token budget', run: matchLibrary },
	{ title: 'one pipe speaks every revision of MCP, request by request', run: mixEras },
];

/** With the home of the user, which interpreters may need. */
function served(input: DemoInput, use: (client: Client) => Promise<string[]>): Promise<string[]> {
	return inFolder(
		input,
		async ({ start }) => use(await start(['serve', '--examples'])),
		(folder) => ({ XDG_STATE_HOME: join(folder, 'state') }),
	);
}

function callTools(input: DemoInput): Promise<string[]> {
	return served(input, async (client) => {
		const call = (name: string, args: object): Promise<unknown> =>
			client.request('tools/call', { name, arguments: args });
		const hello = await call('hello-world', { name: 'Orchestra' });
		expect(joinedText(hello).includes('Hello, Orchestra!'), true);
		expect('isError' in ((await call('disk-usage', {})) as object), false);
		const seen = ['hello-world (JavaScript): Hello, Orchestra!', 'disk-usage (shell): done'];
		if (!hasPython(input)) return [...seen, 'word-count (Python): skipped, python3 is not on PATH'];
		const count = await call('word-count', { text: 'one two three' });
		expect(/\b3\b/.test(joinedText(count)), true);
		return [...seen, 'word-count (Python): 3 words'];
	});
}

function matchLibrary(input: DemoInput): Promise<string[]> {
	return served(input, async (client) => {
		const uri = 'orchestr8://match?query=my+server+hangs+and+does+not+answer&maxTokens=1500&mode=full';
		const result = await client.request('resources/read', { uri });
		// The checks below fail when the shape is another one.
		const { contents } = result as { contents: { text: string }[] };
		const text = contents[0]?.text ?? '';
		expect(text.length > 0 && text.length / 4 <= 1600, true);
		const first = /orchestr8:\/\/[\w/-]+/.exec(text)?.[0] ?? '';
		expect(first.startsWith('orchestr8://'), true);
		return [`"my server hangs and does not answer" → ${first}`];
	});
}

function mixEras(input: DemoInput): Promise<string[]> {
	return served(input, async (client) => {
		// By hand: a client of MCP speaks one era, and this shows both on one pipe.
		const params = {
			protocolVersion: '2024-11-05',
			capabilities: {},
			clientInfo: { name: 'demo', version: '1' },
		};
		const opened = (await client.request('initialize', params)) as { protocolVersion?: string };
		expect(opened.protocolVersion, '2024-11-05');
		const _meta = {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientCapabilities': {},
		};
		const [modern, legacy] = await Promise.all([
			client.request('tools/list', { _meta }) as Promise<{ resultType?: string; tools: object[] }>,
			client.request('tools/list') as Promise<{ resultType?: string; tools: object[] }>,
		]);
		expect(modern.resultType, 'complete');
		expect(legacy.resultType, undefined);
		expect(modern.tools.length, legacy.tools.length);
		return [`2024-11-05 and 2026-07-28 on the same pipe, ${modern.tools.length} tools each`];
	});
}

function hasPython({ environment }: DemoInput): boolean {
	// A fresh machine may have Node alone.
	return attempt(() => {
		findCommand('python3', '/', { PATH: environment['PATH'] ?? '' });
		return true;
	}, false);
}
