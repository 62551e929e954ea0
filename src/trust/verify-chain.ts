/*
 * Checks the lines of a hash chain: none is changed, missing, reordered, repeated or cut.
 *
 * Each line is compared with the one before it by number, wherever it stands, so that
 * one mistake gives one finding. A line that was cut by a crash is a note when the next
 * writer said so, and a finding when nobody did.
 */
import { sha256 } from '../files/sha256.ts';
import { type ChainedLine, type ChainLink, parseObject, readChainedLine } from './hash-chain.ts';

/** The text of one file of a chain. */
export interface ChainFile {
	readonly name: string;
	readonly text: string;
}

/** What is wrong with a line. */
export interface ChainFinding {
	readonly kind: 'changed' | 'missing' | 'reordered' | 'repeated' | 'cut';
	readonly file: string;
	/** In the file, from 1. */
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
}

interface Unreadable {
	readonly file: string;
	readonly line: number;
	readonly text: string;
	readonly isCut: boolean;
	/** An older version wrote it, before the chain began. */
	readonly isOld: boolean;
	/** The next line of the chain, when it follows. */
	readonly next: ChainedLine | undefined;
}

/** Check the files of one chain, the oldest first. `head` is the last line that its writer noted, `name` is that of the newest file. */
export function verifyChain(
	files: readonly ChainFile[],
	head: ChainLink | undefined,
	name: string,
): ChainReport {
	const lines: Placed[] = [];
	const unreadable: Unreadable[] = [];
	for (const file of files) readLines(file, lines, unreadable);
	const notes: string[] = [];
	const findings = [
		...unreadable.flatMap((each) => judgeUnreadable(each, notes)),
		...judgeOrder(lines),
		...judgeHashes(lines),
		...judgeEnds(lines, { head, notes, files, name }),
	];
	const place = ({ file, line }: ChainFinding): number =>
		files.findIndex(({ name }) => name === file) * 1e9 + line;
	return { lines: lines.length, findings: findings.sort((one, other) => place(one) - place(other)), notes };
}

function readLines({ name: file, text }: ChainFile, lines: Placed[], unreadable: Unreadable[]): void {
	if (text === '') return;
	const isCut = !text.endsWith('\n');
	const texts = (isCut ? text : text.slice(0, -1)).split('\n');
	const read = texts.map((each, at) =>
		isCut && at === texts.length - 1 ? undefined : readChainedLine(each),
	);
	const oldLines = countOldLines(texts, read);
	for (const [at, each] of texts.entries()) {
		const found = read[at];
		const line = at + 1;
		const next = read[at + 1];
		if (found) lines.push({ ...found, file, line, isFirst: at === 0 });
		else
			unreadable.push({
				file,
				line,
				text: each,
				isCut: isCut && line === texts.length,
				isOld: at < oldLines,
				next,
			});
	}
}

/** How many lines at the beginning have no hashes because the chain began after them, or never. */
function countOldLines(texts: readonly string[], read: readonly (ChainedLine | undefined)[]): number {
	const began = read.findIndex((line) => line !== undefined);
	if (began === -1) return texts.every((text) => parseObject(text) !== undefined) ? texts.length : 0;
	return isCutBefore(read[began], texts[began - 1]) ? began : 0;
}

/** Whether a line of the chain says that it found this text before it. */
function isCutBefore(line: ChainedLine | undefined, text: string | undefined): boolean {
	return line?.isIntact === true && text !== undefined && line.fields['cutSha256'] === sha256(text);
}

function judgeUnreadable(
	{ file, line, text, isCut, isOld, next }: Unreadable,
	notes: string[],
): ChainFinding[] {
	const isLastOld = isOld && (next !== undefined || isCut);
	if (isLastOld) notes.push(`the lines of ${file} up to ${line} have no hashes: an older version wrote them`);
	if (isOld) return [];
	if (isCutBefore(next, text)) {
		notes.push(`line ${line} of ${file} was cut by a crash; the chain goes on in line ${line + 1}`);
		return [];
	}
	if (isCut) return [{ kind: 'cut', file, line, message: `line ${line} of ${file} is cut` }];
	return [{ kind: 'changed', file, line, message: `line ${line} of ${file} is no line of the journal` }];
}

function judgeOrder(lines: readonly Placed[]): ChainFinding[] {
	const present = new Set(lines.map(({ n }) => n));
	const seen = new Set<number>();
	const findings: ChainFinding[] = [];
	let last: number | undefined;
	for (const { n, file, line } of lines) {
		const at = `line ${line} of ${file}`;
		if (seen.has(n)) findings.push({ kind: 'repeated', file, line, message: `${at} repeats number ${n}` });
		else if (last !== undefined && n < last)
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

function judgeHashes(lines: readonly Placed[]): ChainFinding[] {
	const byNumber = new Map(lines.map((line) => [line.n, line]));
	return lines.flatMap((each): ChainFinding[] => {
		const { n, file, line, previous, isIntact } = each;
		const at = `line ${line} of ${file} (number ${n})`;
		if (!isIntact) return [{ kind: 'changed', file, line, message: `${at} was changed` }];
		const before = byNumber.get(n - 1);
		const isContinued = before ? before.hash === previous : n > 1 || previous === '';
		if (isContinued) return [];
		const place = before ?? each;
		const message = `line ${place.line} of ${place.file} (number ${place.n}) was changed: ${at} has another hash of it`;
		return [{ kind: 'changed', file: place.file, line: place.line, message }];
	});
}

/** Lines that are missing at the beginning of a file or after the last one. */
function judgeEnds(
	lines: readonly Placed[],
	{
		head,
		notes,
		files,
		name,
	}: { head: ChainLink | undefined; notes: string[]; files: readonly ChainFile[]; name: string },
): ChainFinding[] {
	const findings: ChainFinding[] = [];
	for (const { isFirst, fields, file, line } of lines) {
		if (isFirst && fields['first'] !== true)
			findings.push({ kind: 'missing', file, line, message: `the first lines of ${file} are missing` });
	}
	const [first] = lines;
	if (first && first.n > 1 && first.isFirst && first.fields['first'] === true)
		notes.push(`the lines before number ${first.n} are not kept any more`);
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
	const headLine = head && lines.find(({ n }) => n === head.n);
	if (headLine?.isIntact && headLine.hash !== head?.hash) {
		const { file, line } = headLine;
		const message = `line ${line} of ${file} (number ${headLine.n}) was changed: its writer noted another hash`;
		findings.push({ kind: 'changed', file, line, message });
	}
	return findings;
}
