/* What the image of `container/Dockerfile` runs, without a container engine: the same command, configuration and health check. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atEnd } from './support/at-end.ts';
import { selfSigned } from './support/http-tls.ts';
import { until } from './support/waiting.ts';
import { homeVariables, temporaryFolder, writeFiles } from './support/workspace.ts';

const root = resolve(import.meta.dirname, '..');

describe('the container', () => {
	it('serves HTTPS with its configuration, is healthy then, and ends within its grace', async () => {
		const home = temporaryFolder();
		const { cert, key } = selfSigned();
		const configuration = JSON.parse(readFileSync(join(root, 'container/config.json'), 'utf8'));
		expect(configuration.hub).toEqual({
			httpPublic: true,
			httpCert: '/certs/tls.crt',
			httpKey: '/certs/tls.key',
		});
		const hub = { ...configuration.hub, httpCert: join(home, 'tls.crt'), httpKey: join(home, 'tls.key') };
		writeFiles(home, {
			'tls.crt': cert,
			'tls.key': key,
			'config/orchestra/config.json': JSON.stringify({ hub }),
			'work/orchestra.json': '{}',
		});
		chmodSync(join(home, 'tls.key'), 0o600);
		const env = { ...homeVariables(home), PATH: process.env['PATH'] };
		expect(isHealthy(8460)).toBe(false);
		const dockerfile = readFileSync(join(root, 'container/Dockerfile'), 'utf8');
		const words: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]');
		expect(words).toEqual(['hub', 'run', '--http=0.0.0.0:8460']);
		const free = words.map((word) => word.replace('8460', '0'));
		const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...free], {
			cwd: join(home, 'work'),
			env,
			stdio: 'ignore',
		});
		atEnd(() => child.kill('SIGKILL'));
		const port = await portOf(child, env, join(home, 'work'));
		expect(isHealthy(port)).toBe(true);
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
		expect(isHealthy(port)).toBe(false);
	});
});

/** The health check of the image, for another port. */
function isHealthy(port: number): boolean {
	const text = readFileSync(join(root, 'container/healthy.mjs'), 'utf8').replace(':8460', `:${port}`);
	return spawnSync(process.execPath, ['--input-type=module', '-e', text]).status === 0;
}

async function portOf(child: ChildProcess, env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
	let port = 0;
	await until(
		'the hub has an address',
		() => {
			if (child.exitCode !== null) throw new Error(`the hub ended with ${child.exitCode}`);
			const { stdout } = spawnSync(
				process.execPath,
				[join(root, 'dist/cli/main.js'), 'hub', 'status', '--json'],
				{
					cwd,
					env,
					encoding: 'utf8',
				},
			);
			port = Number(/"httpUrl":\s?"https:\/\/[^"]*:(\d+)/.exec(stdout)?.[1] ?? 0);
			return port !== 0;
		},
		20_000,
	);
	return port;
}
