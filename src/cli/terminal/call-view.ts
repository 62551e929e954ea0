/*
 * One call of an MCP tool for users: progress and log messages on stderr, the result on
 * stdout. The text of a tool that failed goes to stderr, since it is no answer. On a
 * terminal an image is drawn, or saved like other bytes.
 */
import { attempt } from '../../errors.ts';
import { printable, printableJson } from '../../printable.ts';
import { isObject } from '../../wire/json.ts';
import { contentText } from './content-text.ts';
import type { Output, StyleName } from './output.ts';
import { ProgressBar } from './progress-bar.ts';
import { showBytes } from './show-bytes.ts';

type Result = Readonly<Record<string, unknown>>;

const levelStyles: ReadonlyMap<unknown, [mark: string, style: StyleName]> = new Map([
	['debug', ['▪', 'dim']],
	['warning', ['⚠', 'yellow']],
	['error', ['✖', 'red']],
	['critical', ['✖', 'red']],
	['alert', ['✖', 'red']],
	['emergency', ['✖', 'red']],
]);

export class CallView {
	readonly #out: Output;
	readonly #environment: Readonly<NodeJS.ProcessEnv>;
	readonly #bar: ProgressBar;

	/** @param environment says what the terminal can draw, and where the temporary folder is */
	constructor(out: Output, environment: Readonly<NodeJS.ProcessEnv>) {
		this.#out = out;
		this.#environment = environment;
		this.#bar = new ProgressBar(out);
	}

	/** Params of `notifications/progress`. */
	progress(params: unknown): void {
		// What came out of a message is JSON.
		if (isObject(params)) this.#bar.show(params as Parameters<ProgressBar['show']>[0]);
	}

	/** Params of `notifications/message`. */
	log(params: unknown): void {
		const { level, logger, data } = isObject(params) ? params : {};
		const [mark, style] = levelStyles.get(level) ?? ['ℹ', 'blue'];
		const text = typeof data === 'string' ? data : JSON.stringify(data ?? '');
		const from = typeof logger === 'string' ? `${logger}: ` : '';
		this.#bar.hide();
		this.#out.info(`${this.#out.stderrStyle(style, mark)} ${printable(from + text)}`);
		this.#bar.draw();
	}

	/** Remove the progress bar: the result, an error or an elicitation follows. */
	clear(): void {
		this.#bar.end();
	}

	result(result: Result): void {
		this.clear();
		for (const block of resultBlocks(result)) {
			const text = contentText(block);
			const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
			if (result['isError'] === true)
				this.#out.warn(`${this.#out.stderrStyle('red', '✗')} ${printable(lines)}`);
			else if (!showBytes(block, this.#out, this.#environment)) this.#out.foreign(lines);
		}
	}
}

/** Content in its order, then the structured content, unless the text says the same. */
function resultBlocks({ content, structuredContent }: Result): unknown[] {
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	if (structuredContent === undefined) return blocks;
	const others = blocks.filter((block) => !isTextOf(block, structuredContent));
	if (isSameText(structuredContent, others.map(contentText))) return others;
	return [...others, { type: 'text', text: printableJson(structuredContent, 2) }];
}

/** `{"content":"text"}` beside the text itself says nothing new. */
function isSameText(structured: unknown, strings: readonly string[]): boolean {
	const [only, ...others] = isObject(structured) ? Object.values(structured) : [];
	return others.length === 0 && typeof only === 'string' && strings.length === 1 && strings[0] === only;
}

/** Whether a text block is the structured content as JSON. */
function isTextOf(block: unknown, value: unknown): boolean {
	const text = isObject(block) && block['text'];
	if (typeof text !== 'string') return false;
	// A text that is not JSON is one of its own.
	return attempt(() => JSON.stringify(JSON.parse(text)) === JSON.stringify(value), false);
}
