/* MCP servers of the modern era, written by a test. */
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from './workspace.ts';

/**
 * A server whose answers are those of `answer`, the body of a function of `method` and `params`. It escapes `<`. A legacy
 * server answers `server/discover` with `null` and `initialize` itself.
 */
export function serverWith(answer: string): object {
	const folder = temporaryFolder();
	writeFiles(folder, {
		'server.mjs': `
			import { createInterface } from 'node:readline';
			const answer = (method, params) => { ${answer} };
			const discover = {
				supportedVersions: ['2026-07-28'],
				capabilities: { tools: {}, resources: {} },
				serverInfo: { name: 'by-hand', version: '1' },
				ttlMs: 1000,
				cacheScope: 'private',
			};
			for await (const line of createInterface({ input: process.stdin })) {
				const { id, method, params = {} } = JSON.parse(line);
				if (id === undefined) continue;
				const given = answer(method, params);
				const made = method === 'server/discover' && given !== null ? { ...discover, ...given } : given;
				const outcome = made
					? { result: { resultType: 'complete', ...made } }
					: { error: { code: -32601, message: 'no ' + method } };
				process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }).replaceAll('<', '\\\\u003c') + '\\n');
			}
		`,
	});
	return { command: process.execPath, args: [join(folder, 'server.mjs')] };
}
