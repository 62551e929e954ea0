import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Library } from '../../../src/library/library.ts';
import { LibraryFolder, withLibrary } from '../../support/library-folder.ts';

const files = {
	'resources/guides/retry.md':
		'---\ntitle: Retry failed calls\ntags: [retry, http]\n---\nWait longer each time, with jitter.',
	'resources/guides/timeouts.md':
		'---\ntitle: Timeouts\ntags: [timeout, http]\n---\nEvery call has a deadline; retry after it.',
	'resources/patterns/breaker.md':
		'---\ntitle: Circuit breaker\ntags: [resilience]\n---\nStop to retry a service that is down.',
	'resources/patterns/copy.md':
		'---\ntitle: Circuit breaker again\n---\nStop to retry a service that is down.',
};

describe('a match', () => {
	it('lists the best first, one line each: title, URI, score, tokens and why', () =>
		withLibrary(files, async (library) => {
			const lines = (await read(library, 'orchestr8://match?query=retry+calls')).split('\n');
			expect(lines[0]).toBe('# Matches for "retry calls"');
			expect(lines[4]).toMatch(
				/^1\. \[Retry failed calls\]\(orchestr8:\/\/guides\/retry\) \(score [\d.]+, \d+ tokens\): "retry" in title, tags/,
			);
			expect(lines).toHaveLength(4 + 4);
		}));

	it('returns links that can be read', () =>
		withLibrary({ ...files, 'resources/guides/a b (c) é.md': '# Retry [x](y)' }, async (library) => {
			const text = await read(library, 'orchestr8://match?query=retry');
			const links = [...text.matchAll(/\]\((orchestr8:[^\s]*)\) \(score/g)].map(([, uri = '']) => uri);
			expect(links).toHaveLength(5);
			for (const uri of links) expect(await read(library, uri)).toMatch(/./);
		}));

	it('returns a compact index', () =>
		withLibrary(files, async (library) => {
			const text = await read(library, 'orchestr8://match?query=deadline&maxResults=1&mode=index');
			expect(text).toBe('orchestr8://guides/timeouts Timeouts (11 tokens)');
		}));

	it('assembles bodies without front matter and without repeats, grouped by category', () =>
		withLibrary(files, async (library) => {
			const text = await read(library, 'orchestr8://match?query=retry+circuit+breaker+calls&mode=full');
			const blocks = text.split('\n\n---\n\n');
			expect(text).not.toContain('title:');
			expect(blocks.filter((block) => block.includes('Stop to retry'))).toHaveLength(1);
			const groups = blocks.map(
				(block) => /^> (\w+) · orchestr8:\/\/\S+ · relevance [\d.]+( · tags: .+)?\n\n/.exec(block)?.[1],
			);
			expect(groups).toEqual([...groups].sort((a, b) => groups.indexOf(a) - groups.indexOf(b)));
			expect(groups.every((group) => group !== undefined)).toBe(true);
		}));

	it('filters by the category of the path, by categories and by required tags', () =>
		withLibrary(files, async (library) => {
			const uris = async (uri: string) => (await read(library, uri)).match(/orchestr8:\/\/\S+(?= )/g) ?? [];
			expect(await uris('orchestr8://patterns/match?query=retry&mode=index')).toEqual([
				'orchestr8://patterns/breaker',
				'orchestr8://patterns/copy',
			]);
			expect(await uris('orchestr8://match?query=retry&categories=guides&mode=index')).toHaveLength(2);
			expect(await uris('orchestr8://match?query=retry&tags=HTTP,timeout&mode=index')).toEqual([
				'orchestr8://guides/timeouts',
			]);
			expect(await read(library, 'orchestr8://guides/match?query=retry&categories=patterns')).toBe(
				'No fragments can match "retry": the category of the path is not one of `categories`. Name it there, or leave `categories` out.',
			);
		}));

	it('respects maxResults and minScore', () =>
		withLibrary(files, async (library) => {
			expect((await library.find('retry', { maxResults: 2 })).matches).toHaveLength(2);
			const [best] = (await library.find('retry calls')).matches;
			const { matches } = await library.find('retry calls', { minScore: best?.score });
			expect(matches.map(({ fragment }) => fragment.uri)).toEqual(['orchestr8://guides/retry']);
		}));

	it('returns a hint when nothing is found', () =>
		withLibrary(files, async (library) => {
			for (const mode of ['catalog', 'full', 'index']) {
				const text = await read(library, `orchestr8://match?query=zebra&tags=x&mode=${mode}`);
				expect(text).toBe(
					'No fragments tagged x match "zebra". Try fewer or other words; orchestr8://registry lists what there is.',
				);
			}
		}));

	it('requires a query, in every form of the URI', () =>
		withLibrary(files, async (library) => {
			for (const uri of ['orchestr8://match', 'orchestr8://guides/match', 'orchestr8://match?mode=full']) {
				await expect(library.readResource(uri)).rejects.toMatchObject({
					code: 'bad_input',
					message: 'parameter "query" is required',
				});
			}
		}));

	it('serves a file that is named match', () =>
		withLibrary({ 'resources/guides/match.md': '# Match' }, async (library) => {
			expect(await read(library, 'orchestr8://guides/match')).toBe('# Match');
		}));
});

describe('the budget', () => {
	const long = `---\ntitle: Long retry\n---\n${'retry words that go on. '.repeat(400)}`;

	it('truncates the best fragment, with a notice, when it alone is too large', () =>
		withLibrary({ 'resources/guides/long.md': long }, async (library) => {
			const { text, tokens, isTruncated } = await library.find('retry', { mode: 'full', maxTokens: 200 });
			expect(isTruncated).toBe(true);
			expect(tokens).toBeLessThanOrEqual(200);
			expect(text).toMatch(/\[Truncated to 200 tokens\. The whole text: orchestr8:\/\/guides\/long\]$/);
		}));

	it('returns at least the best line of a list', () =>
		withLibrary(files, async (library) => {
			expect((await library.find('retry', { maxTokens: 1 })).matches).toHaveLength(1);
		}));

	it.each(['catalog', 'full', 'index'] as const)('never prints more than the budget in mode %s', (mode) =>
		withLibrary(files, async (library) => {
			for (const query of ['retry', 'xyzzy nothing of the kind']) {
				for (let maxTokens = 1; maxTokens <= 60; maxTokens++) {
					const { text, tokens } = await library.find(query, { mode, maxTokens });
					expect(tokens, `${query} in ${maxTokens}`).toBeLessThanOrEqual(maxTokens);
					expect(Math.ceil(text.length / 4)).toBe(tokens);
				}
			}
		}),
	);

	it.each(['agent,skill', 'Agents,SKILLS', 'agent', 'AGENT'])(
		'maps %s to the folders agents and skills',
		(names) =>
			withLibrary(
				{
					'resources/agents/a.md': '# Retry',
					'resources/skills/s.md': '# Retry',
					'resources/guides/g.md': '# Retry',
				},
				async (library) => {
					const { contents } = await library.readResource(
						`orchestr8://match?query=retry&categories=${names}`,
					);
					expect(contents[0]?.text).toContain('orchestr8://agents/a');
					expect(contents[0]?.text).not.toContain('orchestr8://guides/g');
				},
			),
	);

	it('returns a short text whole when only its surroundings exceed the budget', () =>
		withLibrary({ 'resources/guides/short.md': '# Retry\n\nAgain.' }, async (library) => {
			const found = await library.find('retry', { mode: 'full', maxTokens: 5 });
			expect(found).toMatchObject({ text: '# Retry\n\nAgain.', tokens: 4, isTruncated: false });
		}));

	it('accepts minimal as another name of the index', () =>
		withLibrary(files, async (library) => {
			const read = async (mode: string) =>
				(await library.readResource(`orchestr8://match?query=retry&mode=${mode}`)).contents[0]?.text;
			expect(await read('minimal')).toBe(await read('index'));
		}));

	it('includes a smaller fragment where a larger one does not fit', () => {
		const sizes = {
			'best.md': '# Retry\n\n## Retry\n\nretry, retry',
			'long.md': `# Long\n\n${'retry on. '.repeat(200)}`,
			'small.md': '# Small retry',
		};
		const placed = Object.fromEntries(
			Object.entries(sizes).map(([name, text]) => [`resources/a/${name}`, text]),
		);
		return withLibrary(placed, async (library) => {
			const { matches } = await library.find('retry', { mode: 'full', maxTokens: 150 });
			expect(matches.map(({ fragment }) => fragment.name)).toEqual(['a/best', 'a/small']);
		});
	});

	it('counts with a real tokenizer when one is passed in', () =>
		withLibrary(
			files,
			async (library) => {
				const { text, tokens } = await library.find('retry', { mode: 'full', maxTokens: 60 });
				expect(tokens).toBe(text.split(/\s+/).length);
				expect(tokens).toBeLessThanOrEqual(60);
			},
			{ countTokens: (text) => text.split(/\s+/).length },
		));

	it('counts tokens itself, and ignores estimatedTokens', () =>
		withLibrary({ 'resources/a/dear.md': '---\nestimatedTokens: 500\n---\nretry one' }, async (library) => {
			const { matches } = await library.find('retry');
			expect(matches[0]?.fragment.tokens).toBe(3);
		}));

	it('is never exceeded, for any budget that has room for a notice', async () => {
		const texts = Object.fromEntries(
			Array.from({ length: 12 }, (_, at) => [
				`resources/c${at % 3}/f${at}.md`,
				`# Retry ${at}\n\n${`retry word${at} `.repeat(10 + at * 9)}`,
			]),
		);
		const folder = new LibraryFolder(texts);
		const library = Library.open({ resources: folder.at('resources') });
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 60, max: 2000 }),
				fc.constantFrom('catalog', 'full', 'index'),
				async (maxTokens, mode) => {
					const { text, tokens } = await library.find('retry', { mode: mode as 'full', maxTokens });
					expect(Math.ceil(text.length / 4)).toBe(tokens);
					expect(tokens).toBeLessThanOrEqual(maxTokens);
				},
			),
		);
		await library.close();
	});
});

async function read(library: Library, uri: string): Promise<string> {
	return (await library.readResource(uri)).contents[0]?.text ?? '';
}
