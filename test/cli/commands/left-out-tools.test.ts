/* A tool whose schema is nested so deeply that no client could check it: it is not listed, and every command says why. */
import { describe, expect, it } from 'vitest';
import { driftingServer } from '../../support/drifting-servers.ts';
import { type MctlResult, mctl } from '../../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const REASON = '"deep" of docs is left out: it is nested more than 64 levels deep';
const HINT = 'Only a new version of the server can change that: report it to its author.';

describe('a tool whose schema is nested 300 levels deep is left out, and the reason is', () => {
	it('below the list of servers that were started', async () => {
		const { stdout, stderr, code } = await place()('list', 'servers', '--check');
		expect([code, stdout]).toEqual([0, expect.stringMatching(/^docs +ok .* 1 +legacy/m)]);
		expect(stderr).toContain(`${REASON}\nhint: ${HINT}`);
	});

	it('below lists from the cache', async () => {
		const run = place();
		await run('learn');
		for (const kind of [[], ['tools'], ['servers'], ['docs']]) {
			const { stdout, stderr } = await run('list', ...kind);
			expect(stdout).not.toContain('deep');
			expect(stderr).toContain(`mctl: ${REASON}\n`);
		}
		const { servers } = JSON.parse((await run('list', 'servers', '--json')).stdout);
		expect(servers).toMatchObject([
			{ name: 'docs', leftOut: [{ name: 'deep', reason: 'it is nested more than 64 levels deep' }] },
		]);
	});

	it('in what learns the server', async () => {
		const { stdout, stderr } = await place()('learn');
		expect(stdout).toBe('docs  1 tools\n');
		expect(stderr).toContain(`docs: ${REASON}`);
	});

	it('in the errors of commands that name the tool', async () => {
		const run = place();
		for (const args of [
			['show', 'docs', 'deep'],
			['show', 'docs__deep'],
			['call', 'docs', 'deep'],
		]) {
			const { stderr, code } = await run(...args);
			expect([code, stderr]).toEqual([1, `mctl: ${REASON}\nhint: ${HINT}\n`]);
		}
	});

	it('a warning of the doctor', async () => {
		const run = place();
		await run('learn');
		const { stdout } = await run('doctor');
		expect(stdout).toContain(`[warn] tool ${REASON}\n       → ${HINT}`);
	});
});

function place(): (...args: string[]) => Promise<MctlResult> {
	const server = driftingServer({ flat: 'A flat tool', deep: { inputSchema: nested(150) } });
	const cwd = temporaryFolder();
	writeFiles(cwd, { 'orchestra.json': JSON.stringify({ mcpServers: { docs: server.entry() } }) });
	const env = { XDG_STATE_HOME: temporaryFolder(), XDG_CONFIG_HOME: temporaryFolder() };
	return (...args) => mctl(args, { cwd, env });
}

/** Two levels for each property. */
function nested(properties: number): object {
	return properties === 0
		? { type: 'string' }
		: { type: 'object', properties: { inner: nested(properties - 1) } };
}
