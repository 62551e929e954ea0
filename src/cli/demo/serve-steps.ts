/* Steps that show what an agent gets from `mctl serve`: tools in several languages, the library, both eras. */
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { findCommand } from '../../process/find-command.ts';
import type { Client } from '../../transport/client.ts';
import { type DemoStep, expect, inFolder, joinedText, startMctl } from './step.ts';

export const serveSteps: readonly DemoStep[] = [
	{ title: 'an agent calls tools written in JavaScript, Python and shell', run: callTools },
	{ title: 'the library gives a task what it needs, inside a token budget', run: matchLibrary },
	{ title: 'one pipe speaks every revision of MCP, request by request', run: mixEras },
];

function served<T>(use: (client: Client) => Promise<T>): Promise<T> {
	return inFolder(async (folder) => {
		const client = await startMctl(['serve', '--examples'], folder, {
			XDG_STATE_HOME: join(folder, 'state'),
		});
		try {
			return await use(client);
		} finally {
			await client.close();
		}
	});
}

function callTools(): Promise<string[]> {
	return served(async (client) => {
		const hello = await client.request('tools/call', {
			name: 'hello-world',
			arguments: { name: 'Orchestra' },
		});
		expect(joinedText(hello).includes('Hello, Orchestra!'), true);
		const disk = await client.request('tools/call', { name: 'disk-usage', arguments: {} });
		expect('isError' in (disk as object), false);
		const seen = ['hello-world (JavaScript): Hello, Orchestra!', 'disk-usage (shell): done'];
		if (!hasPython()) return [...seen, 'word-count (Python): skipped, python3 is not on PATH'];
		const count = await client.request('tools/call', {
			name: 'word-count',
			arguments: { text: 'one two three' },
		});
		expect(/\b3\b/.test(joinedText(count)), true);
		return [...seen, 'word-count (Python): 3 words'];
	});
}

function matchLibrary(): Promise<string[]> {
	return served(async (client) => {
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

function mixEras(): Promise<string[]> {
	return served(async (client) => {
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

function hasPython(): boolean {
	// A fresh machine may have Node alone.
	return attempt(() => {
		findCommand('python3', process.cwd(), { PATH: process.env['PATH'] ?? '' });
		return true;
	}, false);
}
