import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { fillPrompt, readPrompt } from '../../src/library/prompt-file.ts';
import { PromptStore } from '../../src/library/prompt-store.ts';
import { thrownBy } from '../support/programs.ts';

describe('readPrompt', () => {
	it('takes name, title, description and arguments from the front matter', () => {
		const text =
			'---\nname: rev\ntitle: Review\ndescription: d\narguments:\n  - name: diff\n    description: the change\n    required: true\n  - focus\n---\nBody';
		expect(promptOf(text)).toMatchObject({
			name: 'rev',
			title: 'Review',
			description: 'd',
			arguments: [
				{ name: 'diff', description: 'the change', required: true },
				{ name: 'focus', required: false },
			],
		});
	});

	it('takes the name from the file and the title from the first heading', () => {
		expect(promptOf('# Say hello\n')).toMatchObject({ name: 'p', title: 'Say hello', arguments: [] });
	});

	it('lists no raw placeholders of its arguments in the title and the description', () => {
		expect(
			promptOf('# Fix {{task}} now\n\nFor ${who} in ${SHELL}: $ARGUMENTS and {{task}}.\n'),
		).toMatchObject({
			title: 'Fix … now',
			description: 'For ${who} in ${SHELL}: … and ….',
		});
		const text = '---\ntitle: About {{topic}}\narguments: [topic]\n---\n# {{other}}\n';
		expect(promptOf(text)).toMatchObject({ title: 'About …' });
		expect(promptOf('# {{task}}\n')).toMatchObject({ name: 'p', title: undefined });
	});

	it('lists the placeholders of the text as arguments when none are declared', () => {
		const { arguments: places } = promptOf('{{who}} $ARGUMENTS {{ who }} ${SHELL}');
		expect(places.map(({ name }) => name)).toEqual(['who', 'arguments']);
	});

	it('reports arguments without a name, and arguments that are not a list', () => {
		expect(readPrompt(file('---\narguments: [{ description: x }]\n---\n')).problems).toEqual([
			'an argument has no name',
		]);
		expect(readPrompt(file('---\narguments: yes please\n---\n')).problems).toEqual([
			'arguments is not a list',
		]);
	});
});

describe('fillPrompt', () => {
	it('reports a missing argument named like a property of Object.prototype', () => {
		const text = '---\narguments:\n  - name: constructor\n    required: true\n---\n{{constructor}}';
		const { prompt } = readPrompt(file(text));
		expect(() => fillPrompt(prompt, {})).toThrow('Missing required argument: constructor');
		expect(fillPrompt(prompt, { constructor: 'x' })).toBe('x');
	});

	it('fills ${arg}, {{arg}} and $ARGUMENTS', () => {
		const prompt = promptOf('---\narguments: [a, b]\n---\n${a} {{b}} {{ a }} [$ARGUMENTS]');
		expect(fillPrompt(prompt, { b: '2', a: '1' })).toBe('1 2 1 [1 2]');
	});

	it('inserts values literally', () => {
		const prompt = promptOf('---\narguments: [a, b]\n---\n{{a}}|{{b}}');
		expect(fillPrompt(prompt, { a: "$& $1 $` $' $$ {{b}}", b: '${a}' })).toBe("$& $1 $` $' $$ {{b}}|${a}");
	});

	it.each([
		['orchestr8://match?query=${a}&mode=full', 'orchestr8://match?query=C%23%20%26%20100%25%2F2&mode=full'],
		['(orchestr8://skills/{{ a }})', '(orchestr8://skills/C%23%20%26%20100%25/2)'],
		[
			'orchestr8://match?tags={{ a }}&query={{ a }}',
			'orchestr8://match?tags=C%23%20%26%20100%25%2F2&query=C%23%20%26%20100%25%2F2',
		],
		['https://x.y/?q=$ARGUMENTS', 'https://x.y/?q=C%23%20%26%20100%25%2F2'],
		['see http://x.y ${a}', 'see http://x.y C# & 100%/2'],
		['https://${a}', 'https://C# & 100%/2'],
	])('encodes a value inside a URI and leaves it literal in text: %s', (body, filled) => {
		expect(fillPrompt(promptOf(body), { a: 'C# & 100%/2' })).toBe(filled);
	});

	it('refuses values that would make the prompt very long', () => {
		const body = '{{a}} '.repeat(10_000);
		expect(() => fillPrompt(promptOf(body), { a: 'x'.repeat(10_000) })).toThrow(/longer than 8388608/);
	});

	it('keeps placeholders that are no argument, and replaces optional ones by nothing', () => {
		const prompt = promptOf('---\narguments: [a]\n---\n${HOME} {{x}} [{{a}}] ${constructor}');
		expect(fillPrompt(prompt, {})).toBe('${HOME} {{x}} [] ${constructor}');
	});

	it('names a required argument that is missing', async () => {
		const prompt = promptOf('---\narguments:\n  - name: diff\n    required: true\n---\n{{diff}}');
		const error = await thrownBy(() => fillPrompt(prompt, {}));
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		expect(String(error)).toContain('Missing required argument: diff');
		expect(fillPrompt(prompt, { diff: '' })).toBe('');
	});

	it('inserts any value exactly once for each placeholder', () => {
		fc.assert(
			fc.property(fc.string(), (value) => {
				expect(fillPrompt(promptOf('<{{a}}>'), { a: value })).toBe(`<${value}>`);
			}),
		);
	});
});

describe('PromptStore', () => {
	it('gives a name that two files have to the first, in any order of loading', () => {
		for (const files of [
			['a/commit.md', 'b/commit.md'],
			['b/commit.md', 'a/commit.md'],
		]) {
			const book = new PromptStore();
			const problems = files.flatMap((path) => book.put({ file: path, text: path, size: 1 }));
			expect(problems).toEqual([
				'a/commit.md and b/commit.md are both named "commit"; the second is called by its path',
			]);
			expect([...book.prompts].map(([name, { file }]) => [name, file])).toEqual([
				['b/commit', 'b/commit.md'],
				['commit', 'a/commit.md'],
			]);
			book.drop('a/commit.md');
			expect([...book.prompts.keys()]).toEqual(['commit']);
		}
	});
});

function file(text: string): { file: string; text: string; size: number } {
	return { file: 'p.md', text, size: text.length };
}

function promptOf(text: string): ReturnType<typeof readPrompt>['prompt'] {
	return readPrompt(file(text)).prompt;
}
