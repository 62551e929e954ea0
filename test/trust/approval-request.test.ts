import { describe, expect, it } from 'vitest';
import { addSecret } from '../../src/redact.ts';
import { argumentLines, argumentText } from '../../src/trust/approval-request.ts';

const SECRET = 'hunter2-is-a-long-secret';

describe('argumentText', () => {
	it('shows strings with their line breaks, and escapes quotes and other control characters', () => {
		const input = { path: 'a.txt', content: 'one\n\ttwo \\n "three"\u001b[2J\u202e', deep: [{ b: null }] };
		expect(argumentText(input)).toBe(
			'{\n  "path": "a.txt",\n  "content": "one\n\ttwo \\\\n \\"three\\"\\u001b[2J\\u202e",\n' +
				'  "deep": [\n    {\n      "b": null\n    }\n  ]\n}',
		);
		expect(argumentText(undefined)).toBe('');
	});

	it('is whole up to 64 Ki characters, and says when it is shortened', () => {
		expect(argumentText({ text: 'x'.repeat(60_000) })).toContain('x'.repeat(60_000));
		const long = argumentText({ text: 'x'.repeat(100_000) });
		expect(long).toHaveLength(65_536 + '\n… shortened: the arguments have 100016 characters'.length);
		expect(long).toMatch(/… shortened: the arguments have 100016 characters$/);
	});
});

it('the arguments that a person sees contain no secret, also where they are cut', () => {
	addSecret(SECRET);
	const cut = (length: number): object => ({ text: `${'x'.repeat(length - 18)}${SECRET}` });
	for (const input of [
		{ token: SECRET },
		{ [SECRET]: 1 },
		cut(400),
		cut(65_536),
		{ text: `${SECRET}\n${SECRET}` },
	]) {
		const shown = argumentText(input) + argumentLines(input).join('\n');
		expect(shown).not.toContain(SECRET.slice(0, 10));
	}
});
