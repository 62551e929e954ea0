/* Every message of the source, read as data: none empty, none without the hint that is due. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Where a hint is not due, and why. */
const withoutHint: Readonly<Record<string, string>> = {
	'src/mcp/': 'an MCP client gets it as a JSON-RPC error, and the message names the parameter',
	'src/rpc/': 'a program passed a value that is no JSON',
	'src/transport/': 'a program passed a value that is no JSON',
	'src/plugin/': 'a plugin gets it as an error of the protocol',
	'src/hub/': 'a plugin or an MCP client gets it as an error of the protocol',
	'src/library/': 'mctl adds the nearest names; an MCP client lists them',
	'src/link/certificates/x509.ts': 'a certificate that no user of ours can have made',
};

describe('the messages of the source', () => {
	const messages = collected();
	const problemsFound = collected('--problems');

	it('are found: errors with their hints, wrong usage, log lines, output', () => {
		const kinds = new Set(messages.map(({ kind }) => kind));
		expect([...kinds].sort()).toEqual(['error', 'log', 'output', 'usage']);
		expect(messages).toContainEqual(
			expect.objectContaining({
				file: 'src/cli/hub-client/ask-hub.ts',
				text: "'no hub is running for this folder'",
				hint: "'Start it with: mctl hub start'",
			}),
		);
		expect(messages.length).toBeGreaterThan(300);
	});

	it('are none empty, have hints where they are due, and say one thing in one way', () => {
		const problems = problemsFound.filter(
			({ file, problem }) =>
				problem !== 'has no hint' || !Object.keys(withoutHint).some((place) => file.startsWith(place)),
		);
		expect(problems).toEqual([]);
	});

	it('are exempt only where something is without a hint', () => {
		const bare = problemsFound.filter(({ problem }) => problem === 'has no hint');
		for (const place of Object.keys(withoutHint)) {
			expect(
				bare.filter(({ file }) => file.startsWith(place)),
				place,
			).not.toEqual([]);
		}
	});
});

interface Message {
	file: string;
	kind: string;
	text: string;
	hint?: string;
	problem?: string;
}

function collected(...flags: string[]): Message[] {
	const script = new URL('../scripts/messages.mjs', import.meta.url).pathname;
	const { stdout } = spawnSync(process.execPath, [script, '--json', ...flags], { encoding: 'utf8' });
	return JSON.parse(stdout);
}
