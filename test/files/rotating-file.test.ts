import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RotatingFile } from '../../src/files/rotating-file.ts';
import { nextTurn } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const LIMIT_BYTES = 100;

describe('RotatingFile', () => {
	it('rotates at the limit, for any number of buffered lines', async () => {
		const { file, lines } = rotating();
		for (let n = 10; n < 25; n++) lines.write(`line ${n}.\n`);
		await lines.close();
		expect(linesOf(`${file}.1`)).toEqual(numbered(10, 21));
		expect(linesOf(file)).toEqual(numbered(21, 25));
	});

	it('counts bytes, not characters', async () => {
		const { file, lines } = rotating();
		for (let n = 0; n < 5; n++) lines.write(`${'…'.repeat(10)}\n`);
		await lines.close();
		expect([statSync(`${file}.1`).size, statSync(file).size]).toEqual([93, 62]);
	});

	it('rotates at the first write when the existing file is over the limit', async () => {
		const { file, lines } = rotating();
		writeFileSync(file, 'x'.repeat(LIMIT_BYTES + 1));
		lines.write('new\n');
		await lines.close();
		expect([statSync(`${file}.1`).size, linesOf(file)]).toEqual([LIMIT_BYTES + 1, ['new']]);
	});

	it('continues in a new file when the old one was removed', async () => {
		const { file, lines, errors } = rotating();
		lines.write(`${'x'.repeat(90)}\n`);
		rmSync(file);
		lines.write('a line too many\n');
		await lines.close();
		expect([linesOf(file), errors]).toEqual([['a line too many'], []]);
	});

	it('loses no line of a burst that is larger than any buffer, across a rotation', async () => {
		const { file, lines } = rotating(3 * 1024 * 1024);
		const burst = Array.from({ length: 50_000 }, (_, n) => `line ${n} ${'x'.repeat(80)}`);
		for (const line of burst) lines.write(`${line}\n`);
		await lines.close();
		const kept = [...linesOf(`${file}.1`), ...linesOf(file)];
		expect(kept.length).toBe(burst.length);
		expect(kept).toEqual(burst);
	});

	it('has written everything after one turn of the event loop', async () => {
		const { file, lines } = rotating();
		lines.write('now\n');
		await nextTurn();
		expect(linesOf(file)).toEqual(['now']);
		await lines.close();
	});

	it('takes the rights of others from a file that has them, with a warning', async () => {
		const { file } = rotating();
		writeFileSync(file, 'old\n', { mode: 0o644 });
		chmodSync(file, 0o644);
		const warnings: string[] = [];
		const log = { warn: (warning: string) => void warnings.push(warning) };
		const lines = new RotatingFile(file, LIMIT_BYTES, () => {}, log);
		lines.write('new\n');
		await lines.close();
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(warnings).toEqual([expect.stringContaining('had mode 644')]);
	});

	it('reports that it cannot write, and continues once it can', async () => {
		const { file, lines, errors } = rotating();
		rmSync(dirname(file), { recursive: true });
		writeFileSync(dirname(file), 'not a folder');
		lines.write('lost\n');
		rmSync(dirname(file));
		lines.write('kept\n');
		await lines.close();
		expect([errors.length, linesOf(file)]).toEqual([1, ['kept']]);
	});
});

function rotating(limitBytes = LIMIT_BYTES): { file: string; lines: RotatingFile; errors: unknown[] } {
	const file = join(temporaryFolder(), 'state', 'lines');
	mkdirSync(dirname(file));
	const errors: unknown[] = [];
	return { file, errors, lines: new RotatingFile(file, limitBytes, (error) => errors.push(error)) };
}

function linesOf(file: string): string[] {
	return readFileSync(file, 'utf8').trim().split('\n');
}

function numbered(from: number, to: number): string[] {
	return Array.from({ length: to - from }, (_, at) => `line ${from + at}.`);
}
