import { createHash } from 'node:crypto';
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmdirSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainFile, readChainHead } from '../../src/trust/chain-file.ts';
import { chainBatch } from '../../src/trust/hash-chain.ts';
import { type ChainReport, verifyChain } from '../../src/trust/verify-chain.ts';
import { temporaryFolder } from '../support/workspace.ts';

const LARGE = 1024 * 1024;

describe('a hash chain in a file', () => {
	it('is intact as it was written, over rotations and restarts', async () => {
		const file = newFile();
		for (const start of [0, 10, 20]) await append(file, numbers(start, 10), 800);
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
			return lines.with(2, chainBatch({ n: 2, hash: previous }, ['"value":7']).text.trimEnd());
		});
		expect(verify(file).findings).toMatchObject([{ kind: 'changed', line: 3 }]);
	});

	it('finds the last line changed together with its hash', async () => {
		const file = await chainOf(5);
		edit(file, (lines) => {
			const { previous } = JSON.parse(lines[4] ?? '');
			return lines.with(4, chainBatch({ n: 4, hash: previous }, ['"value":7']).text.trimEnd());
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

	it.each([
		['lines with hashes', () => chainOf(4)],
		['batches', batches],
	])('finds any change of any byte of %s', async (_which, write) => {
		const file = await write();
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

describe('a batch of lines', () => {
	it('has one hash, in its last line', async () => {
		const file = await batches();
		expect(linesOf(file).map((line) => line.includes('"hash"'))).toEqual(
			numbers(0, 12).map((at) => at % 4 === 3),
		);
		expect(verify(file)).toEqual({ lines: 12, findings: [], notes: [] });
	});

	it.each([
		['a changed line', (lines) => lines.with(5, (lines[5] ?? '').replace('5', '7')), 'changed'],
		['a changed last line', (lines) => lines.with(7, (lines[7] ?? '').replace('7', '5')), 'changed'],
		['a removed first line', (lines) => lines.toSpliced(4, 1), 'missing'],
		['a removed line', (lines) => lines.toSpliced(5, 1), 'missing'],
		['a removed line with the hash', (lines) => lines.toSpliced(7, 1), 'missing'],
		['a removed batch', (lines) => lines.toSpliced(4, 4), 'missing'],
		['a removed last batch', (lines) => lines.slice(0, 8), 'missing'],
		['a removed first batch', (lines) => lines.slice(4), 'missing'],
		['lines in another order', (lines) => swapped(lines, 5, 6), 'reordered'],
		['a repeated line', (lines) => lines.toSpliced(6, 0, lines[5] ?? ''), 'repeated'],
		['a repeated batch', (lines) => [...lines, ...lines.slice(4, 8)], 'repeated'],
		['an inserted line', (lines) => lines.toSpliced(6, 0, '{"n":6,"value":9}'), 'repeated'],
		['an inserted line between batches', (lines) => lines.toSpliced(4, 0, '{"n":5,"value":9}'), 'repeated'],
		['an inserted text', (lines) => lines.toSpliced(6, 0, 'text'), 'changed'],
		['a removed hash', (lines) => lines.with(7, (lines[7] ?? '').replace(/,"previous.*/, '}')), 'changed'],
	] satisfies [string, (lines: string[]) => string[], string][])(
		'with %s is found',
		async (_which, change, kind) => {
			const file = await batches();
			edit(file, change);
			expect(verify(file).findings).toMatchObject([{ kind }]);
		},
	);

	it('is found with lines of two batches in another order', async () => {
		const file = await batches();
		edit(file, (lines) => swapped(lines, 3, 4));
		expect(verify(file).findings.map(({ kind }) => kind)).toEqual(['reordered', 'changed']);
	});

	it('without lines writes nothing', async () => {
		const file = newFile();
		await append(file, []);
		expect(existsSync(file)).toBe(false);
	});

	it('that was changed together with its hash is found', async () => {
		const file = await batches();
		edit(file, (lines) => {
			const { previous } = JSON.parse(lines[7] ?? '');
			const forged = chainBatch({ n: 4, hash: previous }, [4, 5, 6, 9].map(member)).text.trimEnd();
			return lines.toSpliced(4, 4, ...forged.split('\n'));
		});
		expect(verify(file).findings).toMatchObject([{ kind: 'changed', line: 5 }]);
	});

	it('that a crash cut at any byte is a torn tail, and the chain goes on after it', async () => {
		const whole = newFile();
		await append(whole, numbers(0, 3));
		const head = readFileSync(`${whole}.head`);
		const begin = readFileSync(whole).length;
		await append(whole, numbers(3, 3));
		const text = readFileSync(whole);
		for (let end = begin; end < text.length; end++) {
			// Only the newline is missing at the end.
			const isWhole = end === begin || end === text.length - 1;
			const file = newFile();
			writeFileSync(file, text.subarray(0, end), { mode: 0o600 });
			writeFileSync(`${file}.head`, head, { mode: 0o600 });
			const { findings, lines } = verify(file);
			expect(findings.map(({ kind }) => kind)).toEqual(isWhole ? [] : ['cut']);
			if (end % 5 !== 0 && !isWhole) continue;
			await append(file, [9, 10]);
			const after = verify(file);
			expect(after.findings).toEqual([]);
			expect(after.notes).toHaveLength(isWhole ? 0 : 1);
			expect(after.lines).toBe(lines + (isWhole ? 2 : 3));
		}
	});

	it('that a crash cut at the beginning of a file is a torn tail too', async () => {
		const file = newFile();
		await append(file, numbers(0, 3), 100);
		const head = readFileSync(`${file}.head`);
		await append(file, numbers(3, 3), 100);
		writeFileSync(`${file}.head`, head);
		truncateSync(file, readFileSync(file).length - 100);
		expect(verify(file).findings).toMatchObject([{ kind: 'cut' }]);
		await append(file, [9]);
		expect(verify(file)).toMatchObject({ lines: 5, findings: [], notes: [{}] });
	});

	it('that could not be written leaves a gap in the numbers', async () => {
		const path = newFile();
		const errors: unknown[] = [];
		const file = new ChainFile(path, LARGE, (error) => errors.push(error));
		file.write([0, 1].map(member));
		await file.close();
		renameSync(path, `${path}.away`);
		mkdirSync(path);
		file.write([2, 3].map(member));
		expect(errors.length).toBeGreaterThan(0);
		rmdirSync(path);
		renameSync(`${path}.away`, path);
		file.write([4].map(member));
		await file.close();
		expect(verify(path).findings).toMatchObject([
			{ kind: 'missing', message: expect.stringContaining('numbers 3 to 4 are missing') },
		]);
	});

	it('follows the lines of an older version, which have a hash each', async () => {
		const file = newFile();
		const old = ['"first":true', '"value":1', '"value":2'].reduce<string[]>((lines, members, at) => {
			const { hash = '' } = lines.length === 0 ? {} : JSON.parse(lines.at(-1) ?? '');
			const text = `{"n":${at + 1},${members},"previous":"${hash}"`;
			return [...lines, `${text},"hash":"${createHash('sha256').update(text).digest('hex')}"}`];
		}, []);
		writeFileSync(file, old.map((line) => `${line}\n`).join(''), { mode: 0o600 });
		const { hash } = JSON.parse(old[2] ?? '');
		writeFileSync(`${file}.head`, JSON.stringify({ n: 3, hash }), { mode: 0o600 });
		expect(verify(file)).toEqual({ lines: 3, findings: [], notes: [] });
		await append(file, [3, 4]);
		expect(verify(file)).toEqual({ lines: 5, findings: [], notes: [] });
		edit(file, (lines) => lines.with(1, (lines[1] ?? '').replace('"value":1', '"value":7')));
		expect(verify(file).findings).toMatchObject([{ kind: 'changed', line: 2 }]);
	});

	it('is bounded, so that the end of a file shows where the chain goes on', async () => {
		const file = newFile();
		const long = (at: number): string => `"value":"${'x'.repeat(20_000)}${at}"`;
		const chained = new ChainFile(file, 8 * LARGE, (error) => {
			throw error;
		});
		chained.write(numbers(0, 40).map(long));
		await chained.close();
		await append(file, [1], 8 * LARGE);
		expect(verify(file)).toEqual({ lines: 41, findings: [], notes: [] });
		expect(linesOf(file).filter((line) => line.includes('"hash"')).length).toBeGreaterThan(5);
	});
});

function swapped(lines: readonly string[], one: number, other: number): string[] {
	return lines.with(one, lines[other] ?? '').with(other, lines[one] ?? '');
}

function newFile(): string {
	return join(temporaryFolder(), 'journal.ndjson');
}

/** Each line with its own hash. */
async function chainOf(count: number): Promise<string> {
	const file = newFile();
	for (const value of numbers(0, count)) await append(file, [value]);
	return file;
}

/** Three batches of four lines. */
async function batches(): Promise<string> {
	const file = newFile();
	for (const start of [0, 4, 8]) await append(file, numbers(start, 4));
	return file;
}

/** Write one batch. */
async function append(path: string, values: readonly number[], limitBytes = LARGE): Promise<void> {
	const file = new ChainFile(path, limitBytes, (error) => {
		throw error;
	});
	file.write(values.map(member));
	await file.close();
}

function member(value: number): string {
	return `"value":${value}`;
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
