/* `mctl results` and `mctl call --select`, as a user types them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ResultStore } from '../../src/hub/results/result-store.ts';
import { mctl } from '../support/mctl.ts';
import { temporaryFolder } from '../support/workspace.ts';

const issues = '[{"id":1,"state":"open","price":1.50},{"id":2,"state":"closed","price":2}]';

it('lists, shows, asks about, keeps and removes the results of agents', async () => {
	const { run, store, handle, state } = await place();
	expect((await run('results', 'ls')).stdout).toMatch(
		new RegExp(`${handle} +${issues.length} bytes +\\d+ s +claude-code +github__list_issues`),
	);
	expect(JSON.parse((await run('results', 'ls', '--json')).stdout)).toMatchObject({
		schema: 'orchestra.results/1',
		results: [{ handle, isPinned: false }],
	});
	expect((await run('results', 'show', handle)).stdout).toBe(issues);
	const asked = await run('results', 'look', handle, 'select', "select=[?state=='open'].price");
	expect(asked.stdout).toBe('[1.50]\n');
	expect((await run('results', 'look', handle, 'tail', 'lines=1')).stdout).toContain('"closed"');
	await run('results', 'keep', handle);
	await store.endSession('session');
	await store.close();
	expect((await run('results', 'show', handle)).stdout).toBe(issues);
	expect(existsSync(join(state, 'orchestra/results/kept', handle))).toBe(true);
	expect((await run('results', 'drop', handle)).code).toBe(0);
	expect(existsSync(join(state, 'orchestra/results/kept', handle))).toBe(false);
});

it('says what is wrong with a handle or an op', async () => {
	const { run, handle, store } = await place();
	const near = await run('results', 'show', `${handle.slice(0, -1)}x`);
	expect(near).toMatchObject({ code: 1, stderr: expect.stringContaining(`did you mean: ${handle}`) });
	const wrong = await run('results', 'look', handle, 'dance');
	expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('op must be one of') });
	await store.close();
});

it('prints what --select picks from the result of a call', async () => {
	const { run, store } = await place();
	const server = 'stdio:node node_modules/@modelcontextprotocol/server-everything/dist/index.js';
	const { stdout } = await mctl([
		'call',
		server,
		'get-structured-content',
		'location=Chicago',
		'--select',
		'conditions',
	]);
	expect(stdout).toMatch(/^"[A-Z].*"\n$/);
	expect((await run('call', 'x', 'y', '--select')).code).toBe(64);
	await store.close();
});

interface Place {
	readonly run: (...words: string[]) => ReturnType<typeof mctl>;
	readonly store: ResultStore;
	readonly handle: string;
	readonly state: string;
}

async function place(): Promise<Place> {
	const state = temporaryFolder();
	const environment = { XDG_STATE_HOME: state };
	const store = new ResultStore({ environment });
	const about = {
		mimeType: 'application/json',
		isText: true,
		tool: 'github__list_issues',
		client: 'claude-code',
	};
	const handle = await store.add(
		{ content: Buffer.from(issues), ...about },
		{ revision: { era: 'legacy' }, sessionId: 'session' },
	);
	const cwd = temporaryFolder();
	return { run: (...words) => mctl(words, { cwd, env: environment }), store, handle, state };
}
