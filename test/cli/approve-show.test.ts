/* `mctl approve` in a terminal, with arguments that try to look like something else. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../src/files/sha256.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { mctlOnScreen } from '../support/terminal.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';

const COLUMNS = 80;
/** Closes the object, and shows another path than the real one. */
const forged = `hello"\n}\n\npath  "/tmp/harmless.txt"\n${'\n'.repeat(40)}`;
/** Blanks up to the end of the line: what follows would begin a line of the terminal. */
const wrapping = `${' '.repeat(COLUMNS - 10)}path       "/tmp/harmless.txt"`;

describe('mctl approve show', () => {
	it('has one row for each argument, and no value can forge another one', async () => {
		const place = await openPlace();
		const bridge = place.bridge();
		await bridge.ready();
		const long = `${forged}${'x'.repeat(500)}`;
		const input = { content: long, note: wrapping, tricky: 'a\u202eb\u200bc\td', path: '/etc/passwd' };
		bridge.client.send({
			jsonrpc: '2.0',
			id: 9,
			method: 'tools/call',
			params: { name: 'touch', arguments: input },
		});
		const id = await waitingId(place);

		const { screen } = await mctlOnScreen(['approve', 'show', id], { ...place, columns: COLUMNS });
		const lines = screen.split('\n');
		expect(lines.filter((line) => line.startsWith('path') || line.startsWith('  path'))).toEqual([
			'  path     "/etc/passwd"',
		]);
		expect(lines.every((line) => line.length <= COLUMNS)).toBe(true);
		expect(screen).toContain('  tricky   "a\\u202eb\\u200bc\\td"');
		expect(screen.replace(/\s+/g, ' ')).toContain(
			`content (only its start is shown: ${long.length} characters, SHA-256 `,
		);
		expect(screen.replace(/\s+/g, '')).toContain(sha256(long));
		expect(lines.findIndex((line) => line.startsWith('  content'))).toBeGreaterThan(
			lines.findIndex((line) => line.startsWith('  path')),
		);
		expect(screen).toContain(`mctl approve show ${id} --whole`);

		const whole = await mctlOnScreen(['approve', 'show', id, '--whole'], { ...place, columns: COLUMNS });
		expect(whole.screen.replace(/\s+/g, '')).toContain(JSON.stringify(long).replace(/\s+/g, ''));
		expect(whole.screen).not.toContain('only its start');
		expect((await place.run('approve', 'deny', id)).stdout).toBe('Denied: touch\n');
	});
});

describe('mctl approve', () => {
	it('lists a call of a client that gave up but is there, and none of a client that is gone', async () => {
		const place = await openPlace();
		const [staying, leaving] = [place.bridge(), place.bridge()];
		await Promise.all([staying.ready(), leaving.ready()]);
		for (const [{ client }, path] of [
			[staying, 'staying'],
			[leaving, 'leaving'],
		] as const)
			client.send({
				jsonrpc: '2.0',
				id: 9,
				method: 'tools/call',
				params: { name: 'touch', arguments: { path } },
			});
		await until('both wait', async () => (await waiting(place)).length === 2);
		staying.client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
		leaving.kill('SIGKILL');
		await until('one is left', async () => (await waiting(place)).length === 1);
		expect(await waiting(place)).toMatchObject([{ arguments: [{ name: 'path', text: '"staying"' }] }]);
		staying.kill('SIGTERM');
		await until('none is left', async () => (await waiting(place)).length === 0);
	});
});

async function openPlace(): Promise<HubPlace> {
	const place = openHubPlace(
		{ policy: [{ tools: 'touch', action: 'ask' }] },
		{
			'work/tools/touch/manifest.json': manifestOf('touch'),
			'work/tools/touch/main.sh': `${shellEvent('touch')}\nevent result '{"touched":true}'\nevent done '{"status":"ok"}'\n`,
		},
	);
	await place.start();
	onTestFinished(async () => void (await place.run('hub', 'stop')));
	return place;
}

async function waiting(place: HubPlace): Promise<{ id: string }[]> {
	return JSON.parse((await place.run('approve', '--json')).stdout).requests;
}

async function waitingId(place: HubPlace): Promise<string> {
	await until('a call waits', async () => (await waiting(place)).length > 0);
	return (await waiting(place))[0]?.id ?? '';
}
