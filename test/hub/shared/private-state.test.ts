/* State that decides which hub we talk to must be ours alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHubPlace } from '../../support/hub-place.ts';
import { mctl } from '../../support/mctl.ts';

const STRANGER = 12_345;

describe('the state folder', () => {
	it.each([['status'], ['start'], ['stop'], ['ps'], ['logs']])(
		'that others can write is refused by mctl hub %s',
		async (word) => {
			const place = openHubPlace();
			mkdirSync(place.folder.path, { recursive: true });
			chmodSync(place.folder.path, 0o777);
			const { code, stderr } = await place.run('hub', word);
			expect([code, stderr]).toEqual([
				64,
				`mctl: ${place.folder.path} can be written by other users\nhint: Run: chmod go-w ${place.folder.path}\n`,
			]);
			chmodSync(place.folder.path, 0o700);
		},
	);

	it.runIf(process.getuid?.() === 0)(
		'of another user is refused, and so is a bridge that would use it',
		async () => {
			const place = openHubPlace();
			const parent = join(place.home, 'state/orchestra');
			mkdirSync(parent, { recursive: true });
			chownSync(parent, STRANGER, STRANGER);
			for (const args of [['hub', 'start'], ['bridge']]) {
				const { code, stderr } = await place.run(...args);
				expect([code, stderr]).toEqual([
					64,
					expect.stringContaining(`mctl: ${parent} belongs to user ${STRANGER}, not to you\nhint: `),
				]);
			}
			chownSync(parent, 0, 0);
		},
	);

	it.runIf(process.getuid?.() === 0)('with the record of another user is refused', async () => {
		const place = openHubPlace();
		await place.start();
		const file = join(place.folder.path, 'hub.lock');
		chownSync(file, STRANGER, STRANGER);
		const { code, stderr } = await place.run('hub', 'stop');
		expect([code, stderr]).toEqual([64, expect.stringContaining(`${file} belongs to user ${STRANGER}`)]);
		chownSync(file, 0, 0);
	});

	it.runIf(process.getuid?.() === 0)(
		'whose lock another user holds is not used, and the error has the reason',
		async () => {
			const place = openHubPlace();
			const name = JSON.stringify(`\0${place.folder.socketName.padEnd(107, '-')}`);
			const script = `require('node:net').createServer().listen(${name}, () => console.log('held'))`;
			const stranger = spawn(process.execPath, ['-e', script], { uid: STRANGER, gid: STRANGER, cwd: '/' });
			await once(stranger.stdout, 'data');
			const { code, stderr } = await place.run('hub', 'start');
			expect([code, stderr]).toEqual([69, expect.stringContaining('is held by a process of another user')]);
			stranger.kill('SIGKILL');
			await once(stranger, 'exit');
			expect(await place.start()).toBeGreaterThan(0);
		},
		60_000,
	);

	it('that cannot be used gives an error of one sentence with a hint', async () => {
		const place = openHubPlace();
		for (const args of [
			['hub', 'start'],
			['hub', 'run'],
		]) {
			const { code, stderr } = await mctl(args, {
				cwd: place.cwd,
				env: { ...place.env, XDG_STATE_HOME: '/dev/null' },
			});
			expect([code, stderr]).toEqual([
				69,
				expect.stringMatching(
					/^mctl: the folder \/dev\/null\S* cannot be used: .*\nhint: .*XDG_STATE_HOME\.\n$/,
				),
			]);
		}
	});
});
