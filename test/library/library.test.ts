import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { toRpcError } from '../../src/rpc/rpc-error.ts';
import { withLibrary } from '../support/library-folder.ts';
import { thrownBy } from '../support/programs.ts';

const files = {
	'resources/agents/_fragments/typescript-core.md': '# TypeScript Core Expert\n\nKnows generics.\n',
	'resources/guides/retry.md':
		'---\ntitle: Retry a call\ndescription: When to repeat.\ntags: [retry, Backoff]\n---\n# Retry\n\nWait longer each time.\n',
	'resources/guides/deep/er/cache.md':
		'---\ntitle: Cache\ntags: [cache]\n---\nKeep what is dear, retry rarely.\n',
	'resources/data/limits.json': '{"title":"Limits","description":"All bounds"}',
	'resources/data/list.yaml': 'title: A list\n',
	'resources/README.md': 'about this folder',
	'resources/guides/.hidden.md': 'hidden',
	'resources/guides/notes.txt': 'not a resource',
	'prompts/hello.md':
		'---\ntitle: Hello\narguments:\n  - name: who\n    required: true\n    values: [world, you]\n---\nHello {{who}}!',
	'prompts/git/commit.md': 'Write a commit message for $ARGUMENTS',
};

describe('Library', () => {
	it('lists resources sorted by URI, with title, description, type and size, indexes included', () =>
		withLibrary(files, async (library) => {
			const listed = await library.listResources();
			const uris = listed.map(({ uri }) => uri);
			expect(uris).toEqual([...uris].sort());
			expect(uris).toEqual([
				'orchestr8://agents',
				'orchestr8://agents/_fragments/typescript-core',
				'orchestr8://data',
				'orchestr8://data/limits',
				'orchestr8://data/list',
				'orchestr8://guides',
				'orchestr8://guides/deep/er/cache',
				'orchestr8://guides/retry',
				'orchestr8://registry',
			]);
			expect(listed.find(({ uri }) => uri === 'orchestr8://guides/retry')).toEqual({
				uri: 'orchestr8://guides/retry',
				name: 'guides/retry',
				title: 'Retry a call',
				description: 'When to repeat.',
				mimeType: 'text/markdown',
				size: files['resources/guides/retry.md'].length,
			});
		}));

	it('can read everything that it lists', () =>
		withLibrary(files, async (library) => {
			for (const { uri, mimeType } of await library.listResources()) {
				const { contents } = await library.readResource(uri);
				expect(contents).toEqual([{ uri, mimeType, text: expect.stringMatching(/./) }]);
			}
		}));

	it.each([
		[
			'orchestr8://agents/_fragments/typescript-core',
			'text/markdown',
			files['resources/agents/_fragments/typescript-core.md'],
		],
		['orchestr8://data/limits', 'application/json', files['resources/data/limits.json']],
		['orchestr8://data/list', 'application/yaml', files['resources/data/list.yaml']],
	])('reads %s as %s', (uri, mimeType, text) =>
		withLibrary(files, async (library) => {
			expect(await library.readResource(uri)).toEqual({ contents: [{ uri, mimeType, text }] });
		}),
	);

	it.each([
		'orchestr8://agents/non-existent',
		'orchestr8://nowhere',
		'orchestr8://guides/../../etc/passwd',
		'orchestr8://guides/%2e%2e/%2e%2e/etc/passwd',
		'orchestr8:///etc/passwd',
		'orchestr8://guides/retry.md',
		'file:///etc/passwd',
	])('reports that %s is not found, without a local path', (uri) =>
		withLibrary(files, async (library, folder) => {
			const error = await thrownBy(() => library.readResource(uri));
			expect(OrchestraError.is(error, 'not_found')).toBe(true);
			expect(toRpcError(error)).toMatchObject({ code: -32602, message: `Resource not found: ${uri}` });
			expect(JSON.stringify(error)).not.toContain(folder.path);
		}),
	);

	it('has an index of all categories and of each one', () =>
		withLibrary(files, async (library) => {
			const registry = JSON.parse(
				(await library.readResource('orchestr8://registry')).contents[0]?.text ?? '',
			);
			expect(registry).toMatchObject({
				version: expect.any(String),
				totalResources: 5,
				categories: [
					{ name: 'agents', uri: 'orchestr8://agents', total: 1 },
					{ name: 'data', total: 2 },
					{ name: 'guides', total: 2 },
				],
				search: expect.stringContaining('orchestr8://match{?query'),
			});
			const guides = JSON.parse((await library.readResource('orchestr8://guides')).contents[0]?.text ?? '');
			expect(guides.resources).toMatchObject([
				{ uri: 'orchestr8://guides/deep/er/cache' },
				{ id: 'retry', tags: ['retry', 'Backoff'] },
			]);
		}));

	it('lists prompts sorted by name and fills them into one user message', () =>
		withLibrary(files, async (library) => {
			expect(await library.listPrompts()).toMatchObject([
				{ name: 'commit', arguments: [{ name: 'arguments', required: false }] },
				{ name: 'hello', title: 'Hello', arguments: [{ name: 'who', required: true }] },
			]);
			expect((await library.getPrompt('hello', { who: '$& world' })).messages).toEqual([
				{ role: 'user', content: { type: 'text', text: 'Hello $& world!' } },
			]);
		}));

	it('refuses a prompt that does not exist and one without its required argument, with -32602', () =>
		withLibrary(files, async (library) => {
			const unknown = toRpcError(await thrownBy(() => library.getPrompt('nope')));
			expect(unknown).toMatchObject({ code: -32602, message: 'Prompt not found: nope' });
			const missing = toRpcError(await thrownBy(() => library.getPrompt('hello', {})));
			expect(missing).toMatchObject({ code: -32602, message: 'Missing required argument: who' });
		}));

	it('logs the number of loaded files, and each dynamic request with its result', () =>
		withLibrary(files, async (library, _, { lines }) => {
			await library.readResource('orchestr8://match?query=retry&mode=full');
			expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
				'[INFO] [library] Loaded 2 prompts',
				'[INFO] [library] Loaded 5 resources',
				'[INFO] [library] Resource index pre-loaded for dynamic matching',
				'[INFO] [library] Dynamic resource request: orchestr8://match?query=retry&mode=full',
				expect.stringMatching(/^\[INFO\] \[library\] Assembled \d fragments \(\d+ tokens\)$/),
			]);
		}));

	it('opens synchronously and reads nothing in the same tick', () =>
		withLibrary(files, async (library, _, { lines }) => {
			expect(lines).toEqual([]);
			await library.ready();
			expect(lines).toHaveLength(3);
		}));

	it('keeps a bounded part of each file in memory', () => {
		const count = 40;
		const characters = 200_000;
		const long = Object.fromEntries(
			Array.from({ length: count }, (_, at) => {
				const head =
					at % 2 === 0 ? `---\ntitle: A title for number ${at}\n---` : `# a heading for number ${at}`;
				const body = `A paragraph that says what this is about.\n${'. '.repeat(characters / 2)}`;
				return [`resources/guides/${at}.md`, Buffer.from(`${head}\n\n${body}`)];
			}),
		);
		const before = heapAfterCollection();
		return withLibrary(long, async (library) => {
			await library.ready();
			expect(heapAfterCollection() - before).toBeLessThan((count * characters) / 2);
			expect((await library.listResources()).length).toBeGreaterThan(count);
		});
	});

	it('is empty without folders, and when they do not exist', () =>
		withLibrary({}, async (library) => {
			expect(await library.listPrompts()).toEqual([]);
			expect((await library.listResources()).map(({ uri }) => uri)).toEqual(['orchestr8://registry']);
			await library.close();
			await library.close();
		}));

	it('serves the markdown file when two files have the same URI, and warns', () =>
		withLibrary({ 'resources/a/x.json': '{}', 'resources/a/x.md': '# X' }, async (library, _, log) => {
			expect((await library.readResource('orchestr8://a/x')).contents[0]?.mimeType).toBe('text/markdown');
			expect(log.warnings).toEqual(['resources/a/x.md: a/x.json has the same URI as a/x.md and is left out']);
		}));
});

describe('completion', () => {
	const template = { type: 'ref/resource', uri: 'orchestr8://{category}/{+id}' } as const;

	it('completes categories, and ids of the category that was chosen', () =>
		withLibrary(files, async (library) => {
			expect((await library.complete(template, { name: 'category', value: 'g' })).values).toEqual([
				'guides',
				'agents',
			]);
			expect(
				(await library.complete(template, { name: 'id', value: 're' }, { category: 'guides' })).values,
			).toEqual(['retry', 'deep/er/cache'].slice(0, 1));
			expect((await library.complete(template, { name: 'id', value: '' })).total).toBe(5);
		}));

	it('completes modes, and tags after the last comma', () =>
		withLibrary(files, async (library) => {
			const { uriTemplate: uri = '' } =
				(await library.listResourceTemplates()).find(({ name }) => name === 'match') ?? {};
			const match = { type: 'ref/resource', uri } as const;
			expect((await library.complete(match, { name: 'mode', value: 'f' })).values).toEqual(['full']);
			expect((await library.complete(match, { name: 'tags', value: 'cache,re' })).values).toEqual([
				'cache,retry',
			]);
			expect((await library.complete(match, { name: 'query', value: 'x' })).values).toEqual([]);
		}));

	it('completes the values that the author of a prompt suggests', () =>
		withLibrary(files, async (library) => {
			const prompt = { type: 'ref/prompt', name: 'hello' } as const;
			expect((await library.complete(prompt, { name: 'who', value: 'W' })).values).toEqual(['world']);
			expect((await library.complete(prompt, { name: 'other', value: '' })).values).toEqual([]);
		}));

	it('returns at most 100 values and sets hasMore', () => {
		const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`resources/c/f${at}.md`, '# X']));
		return withLibrary(many, async (library) => {
			const { values, total, hasMore } = await library.complete(template, { name: 'id', value: 'f' });
			expect([values.length, total, hasMore]).toEqual([100, 130, true]);
		});
	});

	it('refuses a template and a prompt that do not exist', () =>
		withLibrary(files, async (library) => {
			const wrong = { type: 'ref/resource', uri: 'x://{y}' } as const;
			expect(await thrownBy(() => library.complete(wrong, { name: 'y', value: '' }))).toMatchObject({
				code: 'bad_input',
			});
			const unknown = { type: 'ref/prompt', name: 'nope' } as const;
			expect(await thrownBy(() => library.complete(unknown, { name: 'y', value: '' }))).toMatchObject({
				code: 'not_found',
			});
		}));
});

function heapAfterCollection(): number {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	collect();
	return process.memoryUsage().heapUsed;
}
