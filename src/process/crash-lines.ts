/*
 * Which lines of a program's output say why it crashed.
 *
 * A runtime prints the reason in one or two lines and the stack in twenty: Node.js, Go and
 * Java after the reason, Python before it, and some end with their version. A reader of an
 * error has room for a few lines, so each line gets a kind, and the reason comes first.
 * Nothing is hidden for good: the log of a server and the terminal of a tool have every line.
 */
import { CRASH_QUOTED_LINES, LINES_PER_FRAME, REASON_CHARACTERS } from './process-limits.ts';

/** `reason` says why; `text` is any other line; `frame` is part of a stack; `noise` says nothing to the author of the program. */
export type LineKind = 'reason' | 'text' | 'frame' | 'noise';

/** Gives each line of one stream its kind, in order: what follows a line of a stack may belong to it. */
export class CrashReader {
	/** The rest of the source that Node.js quotes. */
	#quoted: { kind: LineKind; left: number } | undefined;
	/** The last frame of Python, whose source is indented below it. */
	#python: { kind: LineKind; indent: number } | undefined;
	#isPanicOfRust = false;

	kindOf(line: string): LineKind {
		const kind = this.#continued(line);
		if (kind !== undefined) return kind;
		if (NOISE.test(line)) return 'noise';
		if (PYTHON_FRAME.test(line)) return this.#pythonFrame(line);
		if (FRAME.test(line)) return RUNTIME.test(line) ? 'noise' : 'frame';
		if (PLACE.test(line)) return this.#place(line);
		if (!isReason(line)) return 'text';
		this.#isPanicOfRust = /panicked at .*:\d+:$/.test(line);
		return 'reason';
	}

	/** The kind of a line that continues what came before it. */
	#continued(line: string): LineKind | undefined {
		if (this.#isPanicOfRust) {
			this.#isPanicOfRust = false;
			return 'reason';
		}
		if (this.#quoted) return this.#quotedSource(line, this.#quoted);
		if (this.#python && indentOf(line) > this.#python.indent)
			return CARET.test(line) ? 'noise' : this.#python.kind;
		this.#python = undefined;
		return undefined;
	}

	#quotedSource(line: string, quoted: { kind: LineKind; left: number }): LineKind | undefined {
		const isCaret = CARET.test(line);
		if (isCaret || --quoted.left === 0) this.#quoted = undefined;
		if (isCaret) return 'noise';
		if (!isReason(line)) return quoted.kind;
		this.#quoted = undefined;
		return undefined;
	}

	#pythonFrame(line: string): LineKind {
		const kind = RUNTIME.test(line) ? 'noise' : 'frame';
		this.#python = { kind, indent: indentOf(line) };
		return kind;
	}

	#place(line: string): LineKind {
		const kind = line.startsWith('node:') ? 'noise' : 'frame';
		this.#quoted = { kind, left: CRASH_QUOTED_LINES };
		return kind;
	}
}

/** Returns at most `count` of `lines`, in their order: reasons before other lines, those before frames, and the last before earlier ones. */
export function crashLines(lines: readonly string[], count: number): string[] {
	const kinds = kindsOf(lines);
	const places = (wanted: LineKind): number[] => [...lines.keys()].filter((at) => kinds[at] === wanted);
	const reasons = places('reason');
	const nearest = reasons.at(-1) ?? lines.length;
	const frames = places('frame').toSorted((a, b) => Math.abs(a - nearest) - Math.abs(b - nearest));
	const chosen = [
		...reasons.toReversed(),
		...places('text').toReversed(),
		...frames.slice(0, Math.ceil(count / LINES_PER_FRAME)),
	];
	if (chosen.length === 0) return lines.slice(Math.max(0, lines.length - count));
	const shown = chosen.slice(0, count).toSorted((a, b) => a - b);
	return shown.map((at) => lines[at] ?? '');
}

/** The reason in one line, with what caused it; undefined when no line says it. */
export function crashReason(lines: readonly string[]): string | undefined {
	const kinds = kindsOf(lines);
	const reasons = lines.filter((_line, at) => kinds[at] === 'reason').map((line) => line.trim());
	const first = reasons.findLastIndex((line, at) => !CAUSE.test(line) && !isOpen(reasons[at - 1]));
	if (first < 0) return undefined;
	const text = reasons.slice(first).reduce((all, line) => `${all}${isOpen(all) ? ' ' : '; '}${line}`);
	return text.length > REASON_CHARACTERS ? `${text.slice(0, REASON_CHARACTERS)}…` : text;
}

function kindsOf(lines: readonly string[]): LineKind[] {
	const reader = new CrashReader();
	return lines.map((line) => reader.kindOf(line));
}

/** True for the first line of a panic of Rust; the message is the next one. */
function isOpen(line: string | undefined): boolean {
	return line?.endsWith(':') ?? false;
}

function isReason(line: string): boolean {
	return REASONS.some((pattern) => pattern.test(line));
}

/** Where the text of a line begins; exception groups of Python have bars in front. */
function indentOf(line: string): number {
	return line.search(/[^\s|]/);
}

/** A cause belongs to the reason before it. */
const CAUSE = /^(?:\[cause\]: |caused by: |cause: |╰─▶ )/i;

const REASONS: readonly RegExp[] = [
	// Node.js, Python, Java, .NET: `TypeError: x`, `Error [CODE]: x`, `java.io.IOException: x`, `KeyError`
	/^[\s|]*(?:uncaught |unhandled )?(?:[\w$]+[.:]+)*[\w$]*(?:Error|Exception|ExceptionGroup|Rejection|SystemExit|KeyboardInterrupt)(?: \[[^\]]*\])?(?:: .*| \(.*|)$/,
	/^\s*(?:\[cause\]: |caused by: |cause: |[×╰])/i,
	/^(?:Exception in thread |Unhandled exception)/i,
	// Go, Rust, Deno, Bun, uv, git, PHP and compilers
	/^(?:php )?(?:panic|fatal error|fatal|error|parse error)(?:\[\w+\])?: /i,
	/^thread '.*panicked at /,
	/^npm (?:error|ERR!) (?!code |errno |syscall |path |workspace |location |command |lifecycle |signal )/i,
	// Ruby and Perl
	/^\S+:\d+:in .*: .+ \([\w:]+\)$/,
	/^Can't locate .* in @INC/,
	// Shells, and programs that are given a file or a module
	/(?:: (?:command )?not found|: No module named .+|: No such file or directory|: Permission denied)$/i,
	// Logs
	/\b(?:ERROR|FATAL|CRITICAL)\b/,
];

const NOISE = new RegExp(
	[
		/^\s*[\^~]+\s*$/,
		/^(?:Node\.js|Bun) v\d/,
		/^\s*[}\]]\s*$/,
		/^\s+(?:code: '\w+',?|errno: -?\d+,?|syscall: '\w+',?|requireStack: \[.*)$/,
		/^[\s|+]*(?:Exception Group )?Traceback \(most recent call last\):$/,
		/^(?:The above exception was the direct cause|During handling of the above exception)/,
		/^[\s+|]*\+[-+]*-{4}[-\d .]*$/,
		/^goroutine \d+ .*:$/,
		/^(?:stack backtrace|stack trace):$/i,
		/^note: (?:run with|Some details are omitted)/,
		/^exit status \d+$/,
		/^npm (?:warn|WARN|notice) /,
		/^npm (?:error|ERR!) (?:A complete log of this run|Note that you can also|tarball, folder|This is related to npm)/,
		/^npm (?:error|ERR!) \w+ (?:Note that you can also|tarball, folder|This is related to npm|In most cases you)/,
		/^npm (?:error|ERR!) ?\w*\s*$/,
	]
		.map(({ source }) => source)
		.join('|'),
);

const CARET = /^\s*[\^~]+\s*$/;
const PLACE = /^(?:node:|file:\/\/|[A-Za-z]:[/\\]|\/)\S*:\d+$/;
const PYTHON_FRAME = /^[\s|]*(?:File ".+", line \d+|\[Previous line repeated)/;
/** Node.js, Java and .NET, Ruby, Rust, Java again, PHP; then Go: a place, a function, and who started the goroutine. */
const FRAME =
	/^(?:\s+at |\s+from \S+:\d+|\s+\d+: |\s+\.\.\. \d+ more|#\d+ |\s+thrown in |\t\S+\.(?:go|s):\d+(?: \+0x|$)|[\w./*()[\]·-]+\.[\w.()*[\]-]+\((?:|\.\.\.|\{?0x.*)\)$|created by \S+ in goroutine )/;
const RUNTIME =
	/\(node:|at node:|\(<anonymous>\)|java\.base\/|jdk\.\w+\/|\/rustc\/|core::|std::|__rustc|\/src\/runtime\/|^runtime\.|<frozen |\/lib\/python[\d.]+\/(?!site-packages)|<unknown>|ext:/;
