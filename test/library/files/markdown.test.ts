import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFragment } from '../../../src/library/files/fragment.ts';
import { outlineOf } from '../../../src/library/files/markdown.ts';

describe('outlineOf', () => {
	it('finds headings, bullets under them and the first paragraph', () => {
		const { title, headings, bullets, firstParagraph } = outlineOf(
			'# The **title**\n\nFirst line\nsecond line\n\n## Capabilities\n- one `x`\n* two\n1. three\n',
		);
		expect([title, headings, firstParagraph]).toEqual([
			'The title',
			['The title', 'Capabilities'],
			'First line second line',
		]);
		expect(bullets.get('capabilities')).toEqual(['one x', 'two', 'three']);
	});

	it('ignores code blocks', () => {
		expect(outlineOf('```sh\n# not a heading\n- not a bullet\n```\n# Real ##').headings).toEqual(['Real']);
	});

	it('never throws and never gives a heading with a line break', () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom('# a', '```', '~~~', '- b', '', '> q', 'text', '\t- c', '#')),
				(lines) => {
					for (const heading of outlineOf(lines.join('\n')).headings) expect(heading).not.toContain('\n');
				},
			),
		);
	});
});

describe('metadata', () => {
	it('is derived from headings and bullets when there is no front matter', () => {
		const text =
			'# TypeScript Core Expert\n\nKnows types.\n\n## Core Capabilities\n- Generics\n\n## When to Use\n- Strict mode fails\n';
		const { fragment, problems } = readFragment({
			file: 'agents/_fragments/typescript-core.md',
			text,
			size: text.length,
		});
		expect(problems).toEqual([]);
		expect(fragment).toMatchObject({
			uri: 'orchestr8://agents/_fragments/typescript-core',
			category: 'agents',
			id: '_fragments/typescript-core',
			title: 'TypeScript Core Expert',
			description: 'Knows types.',
			capabilities: ['Generics'],
			useWhen: ['Strict mode fails'],
			tokens: Math.ceil(text.length / 4),
			mimeType: 'text/markdown',
		});
		expect(fragment.tags).toEqual(['typescript', 'expert']);
	});

	it('is taken from front matter first', () => {
		const text =
			'---\nid: x1\ntitle: Given\ntags: [t]\ncapabilities: [c]\nuseWhen: [u]\nestimatedTokens: 7\n---\n# Other\n';
		const { fragment } = readFragment({ file: 'a/b.md', text, size: 1 });
		expect(fragment).toMatchObject({
			id: 'x1',
			title: 'Given',
			tags: ['t'],
			capabilities: ['c'],
			useWhen: ['u'],
			tokens: 2,
		});
	});

	it('falls back to the name of the file for a title', () => {
		expect(readFragment({ file: 'a/retry_and-wait.md', text: 'x', size: 1 }).fragment.title).toBe(
			'Retry and wait',
		);
	});

	it('reports values of the wrong type, and reads the others', () => {
		const text = '---\ntitle: { a: 1 }\ntags: 5\nestimatedTokens: many\n---\n# T\n';
		const { fragment, problems } = readFragment({ file: 'a/b.md', text, size: 1 });
		expect(problems).toEqual(['title is not a string', 'tags is not a list']);
		expect(fragment.title).toBe('T');
	});

	it('of JSON and YAML comes from their keys', () => {
		const json = readFragment({ file: 'a/b.json', text: '{"title":"J","tags":["t"]}', size: 1 }).fragment;
		const yaml = readFragment({ file: 'a/b.yaml', text: 'title: Y\ndescription: d\n', size: 1 }).fragment;
		expect([json.title, json.mimeType, yaml.title, yaml.mimeType]).toEqual([
			'J',
			'application/json',
			'Y',
			'application/yaml',
		]);
		expect(readFragment({ file: 'a/b.json', text: '{', size: 1 }).problems).toEqual([
			expect.stringMatching(/^not valid JSON: /),
		]);
	});
});
