import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainedFile, readChainHead } from '../../src/trust/chained-file.ts';
import { chainLine } from '../../src/trust/hash-chain.ts';
import { type ChainReport, verifyChain } from '../../src/trust/verify-chain.ts';
import { temporaryFolder } from '../support/workspace.ts';

const LARGE = 1024 * 1024;

describe('a hash chain in a file', () => {
	it('is intact as it was written, over rotations and restarts', async () => {
		const file = newFile();
		for (const start of [0, 10, 20]) await append(file, numbers(start, 10), 2000);
		expect(existsSync(`${file}.1`)).toBe(true);
		const report = verify(file);
		expect(report.findings).toEqual([]);
		expect(report.lines).toBeGreaterThan(10);
	});

	it('finds a line whose text was changed', async () => {
		const file = await chainOf(5);
		edit(file, (lines) => lines.with(2, (lines[2] ?? '').replace('"value":2', '"value":7')));
		expect(verify(file).findings).toMatchObject([{ kind: 'changed', line: 3 }]);
	});

	it('finds a line that was changed together with its hash', async () => {
		const file = await chainOf(5);
		edit(file, (lines) => {
			const { previous } = JSON.parse(lines[2] ?? '');
			return lines.with(2, chainLine({ n: 2, hash: previous }, '"value":7').line);
		});
		expect(verify(file).findings).toMatchObject([{ kind: 'changed', line: 3 }]);
	});

	it('finds the last line changed together with its hash', async () => {
		const file = await chainOf(5);
		edit(file, (lines) => {
			const { previous } = JSON.parse(lines[4] ?? '');
			return lines.with(4, chainLine({ n: 4, hash: previous }, '"value":7').line);
		});
		expect(verify(file).findings).toMatchObject([{ kind: 'changed', line: 5 }]);
	});

	it.each([
		['the first', 0, 'missing'],
		['a middle', 2, 'missing'],
		['the last', 4, 'missing'],
	])('finds that %s line is missing', async (_which, at, kind) => {
		const file = await chainOf(5);
		edit(file, (lines) => lines.toSpliced(at, 1));
		expect(verify(file).findings).toMatchObject([{ kind }]);
	});

	it('still finds missing last lines after another process has written', async () => {
		const file = await chainOf(5);
		edit(file, (lines) => lines.slice(0, 3));
		await append(file, [9]);
		expect(verify(file).findings).toMatchObject([
			{ kind: 'missing', message: expect.stringContaining('numbers 4 to 5 are missing') },
		]);
	});

	it('finds lines in another order and lines that are repeated', async () => {
		const file = await chainOf(5);
		edit(file, ([a = '', b = '', c = '', ...rest]) => [a, c, b, ...rest]);
		expect(verify(file).findings).toMatchObject([{ kind: 'reordered', line: 3 }]);
		const other = await chainOf(3);
		edit(other, (lines) => [...lines, lines[1] ?? '']);
		expect(verify(other).findings).toMatchObject([{ kind: 'repeated', line: 4 }]);
	});

	it('reports a cut last line, and goes on after it with a line that says so', async () => {
		const file = await chainOf(2);
		const head = readFileSync(`${file}.head`);
		await append(file, [3]);
		truncateSync(file, readFileSync(file).length - 20);
		writeFileSync(`${file}.head`, head);
		expect(verify(file).findings).toMatchObject([{ kind: 'cut', line: 3 }]);
		await append(file, [9]);
		const { findings, notes } = verify(file);
		expect(findings).toEqual([]);
		expect(notes).toEqual([expect.stringContaining('line 3 of journal was cut by a crash')]);
		expect(linesOf(file)[3]).toContain('continued after a cut line');
	});

	it('finds a cut line that is not the one that the next writer found', async () => {
		const file = await chainOf(3);
		truncateSync(file, readFileSync(file).length - 20);
		await append(file, [9]);
		edit(file, (lines) => lines.with(2, (lines[2] ?? '').slice(0, -5)));
		expect(verify(file).findings[0]).toMatchObject({ kind: 'changed', line: 3 });
	});

	it('accepts the lines of a journal without hashes, and begins after them', async () => {
		const file = newFile();
		appendFileSync(file, '{"name":"old"}\n{"name":"older"}\n');
		await append(file, [1, 2]);
		const { findings, lines, notes } = verify(file);
		expect(findings).toEqual([]);
		expect(lines).toBe(3);
		expect(notes).toHaveLength(1);
	});

	it('finds any change of any byte', async () => {
		const file = await chainOf(4);
		const text = readFileSync(file, 'utf8');
		fc.assert(
			fc.property(fc.nat(text.length - 1), fc.constantFrom('0', 'x', '"', '\n', ' '), (at, char) => {
				fc.pre(text[at] !== char);
				const changed = text.slice(0, at) + char + text.slice(at + 1);
				const { findings } = verifyChain(
					[{ name: 'journal', text: changed }],
					readChainHead(file),
					'journal',
				);
				expect(findings.length).toBeGreaterThan(0);
			}),
		);
	});
});

function newFile(): string {
	return join(temporaryFolder(), 'journal.ndjson');
}

async function chainOf(count: number): Promise<string> {
	const file = newFile();
	await append(file, numbers(0, count));
	return file;
}

async function append(path: string, values: readonly number[], limitBytes = LARGE): Promise<void> {
	const file = new ChainedFile(path, limitBytes, (error) => {
		throw error;
	});
	for (const value of values) file.write(`"value":${value}`);
	await file.close();
}

function numbers(start: number, count: number): number[] {
	return Array.from({ length: count }, (_, at) => start + at);
}

function linesOf(file: string): string[] {
	return readFileSync(file, 'utf8').trimEnd().split('\n');
}

function edit(file: string, change: (lines: string[]) => string[]): void {
	writeFileSync(
		file,
		change(linesOf(file))
			.map((line) => `${line}\n`)
			.join(''),
	);
}

function verify(file: string): ChainReport {
	const names: [string, string][] = [
		['journal.1', `${file}.1`],
		['journal', file],
	];
	const files = names
		.filter(([, path]) => existsSync(path))
		.map(([name, path]) => ({ name, text: readFileSync(path, 'utf8') }));
	return verifyChain(files, readChainHead(file), 'journal');
}
