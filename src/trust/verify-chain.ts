/*
 * Checks the lines of a hash chain: none is changed, missing, reordered, repeated or cut.
 *
 * A batch is compared with the one before it by number, wherever it stands, and is
 * reported as changed when nothing else is wrong with its lines, so that one mistake gives
 * one finding. Lines after the last hash were cut by a crash: a note when the next writer
 * said so, and a finding when no writer did.
 */
import { sha256 } from '../files/sha256.ts';
import { jsonObject } from '../wire/json.ts';
import { type ChainedLine, type ChainLink, isIntactBatch, readChainedLine } from './hash-chain.ts';

/** The text of one file of a chain. */
export interface ChainFile {
	readonly name: string;
	readonly text: string;
}

/** What is wrong with a line. */
export interface ChainFinding {
	readonly kind: 'changed' | 'missing' | 'reordered' | 'repeated' | 'cut';
	readonly file: string;
	/** The number of the line in the file, from 1. */
	readonly line: number;
	readonly message: string;
}

export interface ChainReport {
	/** Lines of the chain. */
	readonly lines: number;
	readonly findings: readonly ChainFinding[];
	/** What is no damage but not a plain chain. */
	readonly notes: readonly string[];
}

interface Placed extends ChainedLine {
	readonly file: string;
	readonly line: number;
	/** The first line of its file. */
	readonly isFirst: boolean;
	readonly batch: Batch;
}

/** Lines up to one with a hash. */
interface Batch {
	readonly file: string;
	/** The first and the last line. */
	readonly from: number;
	readonly to: number;
	readonly isIntact: boolean;
	readonly end: NonNullable<ChainedLine['end']>;
	readonly lines: Placed[];
}

/** What reading the files gives. */
interface Reading {
	readonly batches: Batch[];
	readonly findings: ChainFinding[];
	readonly notes: string[];
}

/** Check the files of one chain, the oldest first. `head` is the last line that its writer recorded, `name` is that of the newest file. */
export function verifyChain(
	files: readonly ChainFile[],
	head: ChainLink | undefined,
	name: string,
): ChainReport {
	const reading: Reading = { batches: [], findings: [], notes: [] };
	for (const file of files) readFile(file, reading);
	const { batches, notes } = reading;
	const lines = batches.flatMap((batch) => batch.lines);
	const findings = [...reading.findings, ...judgeOrder(lines), ...judgeEnds(reading, head, files, name)];
	findings.push(...judgeHashes(batches, findings));
	const place = ({ file, line }: ChainFinding): number =>
		files.findIndex(({ name }) => name === file) * 1e9 + line;
	return { lines: lines.length, findings: findings.sort((one, other) => place(one) - place(other)), notes };
}

/** A line of a file. */
interface Read {
	readonly text: string;
	/** The number of the line in the file, from 1. */
	readonly line: number;
	readonly found: ChainedLine | undefined;
}

function readFile({ name, text }: ChainFile, reading: Reading): void {
	if (text === '') return;
	const rows = text.replace(/\n$/, '').split('\n');
	let open: Read[] = [];
	for (const [at, each] of rows.entries()) {
		const found = readChainedLine(each);
		open.push({ text: each, line: at + 1, found });
		if (found?.end === undefined) continue;
		readBatch(name, open, found.end, reading);
		open = [];
	}
	judgeTail(name, open, reading);
}

/** Read the lines up to one with a hash, which may be the first after a crash. */
function readBatch(file: string, open: readonly Read[], end: Batch['end'], reading: Reading): void {
	const last = open.slice(-1);
	const isWhole = isIntactBatch(textOf(open));
	const isAlone = !isWhole && isIntactBatch(textOf(last));
	const isExplained = isAlone && isHeadRecorded(file, open.slice(0, -1), last[0]?.found, reading);
	const own = isExplained ? last : open;
	const lines: Placed[] = [];
	const batch: Batch = {
		file,
		from: own[0]?.line ?? 1,
		to: own.at(-1)?.line ?? 1,
		isIntact: isWhole || isAlone,
		end,
		lines,
	};
	for (const { line, found } of own) {
		// A line that is not covered by the hash of a batch alone was inserted.
		const isForeign = isAlone && line !== batch.to;
		if (found && !isForeign) lines.push({ ...found, file, line, isFirst: line === 1, batch });
		else reading.findings.push(foreign(file, line));
	}
	reading.batches.push(batch);
}

function textOf(lines: readonly Read[]): string {
	return lines.map(({ text }) => text).join('\n');
}

function foreign(file: string, line: number): ChainFinding {
	return { kind: 'changed', file, line, message: `line ${line} of ${file} is no line of the journal` };
}

/** Whether a line says that it found these before it: cut by a crash, or of a version without hashes. */
function isHeadRecorded(
	file: string,
	lines: readonly Read[],
	next: ChainedLine | undefined,
	{ notes }: Reading,
): boolean {
	const cut = next?.fields['cutSha256'];
	const last = lines.at(-1);
	if (last === undefined || cut === undefined) return false;
	const isOld = isWithoutHashes(lines) && cut === sha256(last.text);
	if (isOld)
		notes.push(`the lines of ${file} up to ${last.line} have no hashes: an older version wrote them`);
	else if (cut === sha256(textOf(lines)))
		notes.push(`${namesOf(file, lines)} cut by a crash; the chain goes on in line ${last.line + 1}`);
	else return false;
	return true;
}

/** Lines at the beginning of a file of a version without a chain. */
function isWithoutHashes(lines: readonly Read[]): boolean {
	return lines[0]?.line === 1 && lines.every(({ found }) => found === undefined);
}

/** Lines after the last hash. */
function judgeTail(file: string, lines: readonly Read[], { findings, notes }: Reading): void {
	const [first] = lines;
	if (first === undefined) return;
	if (isWithoutHashes(lines) && lines.every(({ text }) => jsonObject(text) !== undefined)) {
		notes.push(`the lines of ${file} up to ${lines.length} have no hashes: an older version wrote them`);
		return;
	}
	const message = `${namesOf(file, lines)} cut: a torn tail without a hash, as a crash leaves it`;
	findings.push({ kind: 'cut', file, line: first.line, message });
}

function namesOf(file: string, lines: readonly Read[]): string {
	const [from, to] = [lines[0]?.line, lines.at(-1)?.line];
	return from === to ? `line ${from} of ${file} was` : `lines ${from} to ${to} of ${file} were`;
}

function judgeOrder(lines: readonly Placed[]): ChainFinding[] {
	const present = new Set(lines.map(({ n }) => n));
	const seen = new Set<number>();
	const findings: ChainFinding[] = [];
	let last: number | undefined;
	let repeated: Batch | undefined;
	for (const { n, file, line, batch } of lines) {
		const at = `line ${line} of ${file}`;
		if (seen.has(n)) {
			if (repeated !== batch)
				findings.push({ kind: 'repeated', file, line, message: `${at} repeats number ${n}` });
			repeated = batch;
		} else if (last !== undefined && n < last)
			findings.push({ kind: 'reordered', file, line, message: `${at} is number ${n}, after number ${last}` });
		else if (last !== undefined && !present.has(n - 1)) {
			const first = firstMissing(present, n - 1);
			const which = first === n - 1 ? `number ${first} is` : `numbers ${first} to ${n - 1} are`;
			findings.push({ kind: 'missing', file, line, message: `before ${at}, ${which} missing` });
		}
		seen.add(n);
		last = Math.max(last ?? 0, n);
	}
	return findings;
}

/** The first number of the gap that ends with `n`. */
function firstMissing(present: ReadonlySet<number>, n: number): number {
	let largest = 0;
	for (const each of present) if (each < n) largest = Math.max(largest, each);
	return largest + 1;
}

/** Changes that no other finding is about. */
function judgeHashes(batches: readonly Batch[], others: readonly ChainFinding[]): ChainFinding[] {
	const byLast = new Map(batches.map((batch) => [batch.lines.at(-1)?.n, batch]));
	return batches.flatMap((batch): ChainFinding[] => {
		const { file, from, to, end, isIntact } = batch;
		const isKnown = ({ file: other, line }: ChainFinding): boolean =>
			other === file && line >= from && line <= to;
		if (!isIntact) return others.some(isKnown) ? [] : [changed(batch, '')];
		const n = batch.lines[0]?.n ?? 0;
		const before = byLast.get(n - 1);
		const isContinued = before ? before.end.hash === end.previous : n > 1 || end.previous === '';
		if (isContinued || before?.isIntact === false) return [];
		return [changed(before ?? batch, `: ${numbersOf(batch)} has another hash of it`)];
	});
}

function changed(batch: Batch, why: string): ChainFinding {
	const { file, from, to } = batch;
	const isOne = from === to;
	const message = `${numbersOf(batch)} ${isOne ? 'was' : 'were'} changed${isOne ? '' : ', one of them or several'}${why}`;
	return { kind: 'changed', file, line: from, message };
}

function numbersOf({ file, from, to, lines }: Batch): string {
	const [first, last] = [lines[0]?.n, lines.at(-1)?.n];
	return from === to
		? `line ${from} of ${file} (number ${first})`
		: `lines ${from} to ${to} of ${file} (numbers ${first} to ${last})`;
}

/** Lines that are missing at the beginning of a file or after the last one. */
function judgeEnds(
	{ batches, notes }: Reading,
	head: ChainLink | undefined,
	files: readonly ChainFile[],
	name: string,
): ChainFinding[] {
	const lines = batches.flatMap((batch) => batch.lines);
	const findings: ChainFinding[] = [];
	for (const { isFirst, fields, file, line } of lines) {
		if (isFirst && fields['first'] !== true)
			findings.push({ kind: 'missing', file, line, message: `the first lines of ${file} are missing` });
	}
	const [first] = lines;
	if (first && first.n > 1 && first.isFirst && first.fields['first'] === true)
		notes.push(`the lines before number ${first.n} are no longer retained`);
	const last = lines.reduce((largest, { n }) => Math.max(largest, n), 0);
	const line = files.at(-1)?.text.split('\n').length ?? 1;
	if (head && head.n > last) {
		const which = head.n === last + 1 ? `number ${head.n} is` : `numbers ${last + 1} to ${head.n} are`;
		const message = `at the end of ${name}, ${which} missing`;
		findings.push({ kind: 'missing', file: name, line, message });
	}
	if (head === undefined && last > 0) {
		const message = `${name}.head is missing, so lines at the end may be missing too`;
		findings.push({ kind: 'missing', file: name, line, message });
	}
	const recorded = head && batches.find((batch) => batch.isIntact && batch.lines.at(-1)?.n === head.n);
	if (recorded && recorded.end.hash !== head.hash)
		findings.push(changed(recorded, ': its writer recorded another hash'));
	return findings;
}
