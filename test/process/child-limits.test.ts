import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { Child } from '../../src/process/child.ts';
import { explainExit } from '../../src/process/diagnosis.ts';
import { type ChildLimits, limited } from '../../src/process/sandbox/child-limits.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { node, shell } from '../support/programs.ts';

const program = { file: '/bin/sh', args: ['-c', 'true'], cwd: '/', env: {} };

describe.skipIf(process.platform !== 'linux')('limits', () => {
	test.skipIf(!existsSync('/usr/bin/prlimit'))('all limits are set by prlimit', async () => {
		const limits = { memoryBytes: 512 * 1024 * 1024, processes: 5000, openFiles: 64 };
		expect(await output(shell('ulimit -d; ulimit -n; ulimit -p'), limits)).toBe('524288\n64\n5000\n');
	});

	test('without prlimit a shell sets them', async () => {
		const { file, args } = limited(
			program,
			{ openFiles: 32, processes: 4000, memoryBytes: 2048 },
			{ PATH: '/nowhere' },
		);
		expect([file, ...args.slice(2)]).toEqual(['/bin/sh', 'sh', '/bin/sh', '-c', 'true']);
		const [, written = ''] = args;
		const script = written.replace('-d 2', '-d 300000');
		const record = { command: file, args: ['-c', script, 'sh', '/bin/sh', '-c', 'ulimit -n; ulimit -d'] };
		expect(await output(record)).toBe('32\n300000\n');
	});

	test('a program without limits is started as it is', () => {
		expect(limited(program, {}, {})).toBe(program);
	});

	test('a program that ends for lack of memory says which limit it reached', async () => {
		const hungry = node('const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1));');
		const child = await Child.start({ ...hungry, limits: { memoryBytes: 400 * 1024 * 1024 } });
		await child.gone;
		expect(explainExit(child.diagnose())).toContain('it reached its limit memoryBytes = 419430400');
	});

	test('a program that opens too many files says which limit it reached', async () => {
		const greedy = node("const { openSync } = require('fs'); for (;;) openSync('/dev/null');");
		const child = await Child.start({ ...greedy, limits: { openFiles: 64 } });
		await child.gone;
		expect(explainExit(child.diagnose())).toContain('it reached its limit openFiles = 64');
	});

	test('a program that ends for another reason reached none', async () => {
		const child = await Child.start({ ...shell('exit 3'), limits: { openFiles: 64 } });
		await child.gone;
		expect(explainExit(child.diagnose())).not.toContain('limit');
	});
});

test('there are no limits on Windows, and the error says so', () => {
	expect(() => limited(program, { openFiles: 1 }, {}, 'win32')).toThrow('no limits on Windows');
});

async function output(record: SpawnRecord, limits?: ChildLimits): Promise<string> {
	const child = await Child.start({ ...record, limits });
	const [printed] = await Promise.all([text(child.stdout), child.gone]);
	return printed;
}
