import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/cli/terminal/markdown-terminal.ts';
import { LibraryFolder } from '../support/library-folder.ts';
import { mctl } from '../support/mctl.ts';

const folder = new LibraryFolder({
	'resources/guides/retry.md': '---\ntitle: Retry a call\ntags: [retry]\n---\n# Retry\n\nWait **longer**.\n',
	'resources/guides/cache.md': '# Cache\n\nKeep what is dear.\n',
	'prompts/hello.md':
		'---\narguments:\n  - name: who\n    required: true\n  - mood\n---\nHello {{who}}, $ARGUMENTS!',
});
const here = { cwd: folder.path, env: { PROMPTS_PATH: '', RESOURCES_PATH: '' } };

describe('mctl find', () => {
	it('lists what matches, as plain text in a pipe', async () => {
		const { stdout, stderr, code } = await mctl(['find', 'retrying', 'calls'], here);
		expect(stdout).toContain('1. [Retry a call](orchestr8://guides/retry) (score ');
		expect([stderr, code]).toEqual(['', 0]);
		expect(stdout).not.toContain('\u001B');
	});

	it('assembles the texts when a budget is given', async () => {
		const { stdout } = await mctl(['find', 'retry', '--max-tokens', '500'], here);
		expect(stdout).toMatch(
			/^> guides · orchestr8:\/\/guides\/retry · relevance [\d.]+ · tags: retry\n\n# Retry/,
		);
	});

	it('prints one versioned JSON object with --json', async () => {
		const found = JSON.parse((await mctl(['find', 'retry', '--json'], here)).stdout);
		expect(found).toMatchObject({
			schema: 'orchestra.find/1',
			query: 'retry',
			mode: 'catalog',
			total: 1,
			matches: [
				{
					uri: 'orchestr8://guides/retry',
					why: [{ word: 'retry', kind: 'word', fields: expect.any(Array) }],
				},
			],
		});
	});

	it('filters by category and tags', async () => {
		const none = await mctl(['find', 'retry', '--category', 'patterns'], here);
		expect(none.stdout).toContain('No fragments in patterns match "retry"');
		const some = await mctl(['find', 'retry', '--tags', 'retry', '--mode', 'index'], here);
		expect(some.stdout).toMatch(/^orchestr8:\/\/guides\/retry Retry a call \(\d+ tokens\)\n$/);
	});

	it('knows the index under its older name, minimal', async () => {
		const old = await mctl(['find', 'retry', '--mode', 'minimal'], here);
		expect(old.stdout).toBe((await mctl(['find', 'retry', '--mode', 'index'], here)).stdout);
		expect(old.code).toBe(0);
	});

	it('exits 64 without search terms, with a wrong number and with a wrong mode', async () => {
		for (const args of [['find'], ['find', 'x', '--max-tokens', 'many'], ['find', 'x', '--mode', 'all']]) {
			const { code, stderr } = await mctl(args, here);
			expect([code, stderr]).toEqual([64, expect.stringContaining('hint: usage: mctl find')]);
		}
	});
});

describe('mctl read', () => {
	it('prints a resource as it is in a pipe', async () => {
		const { stdout } = await mctl(['read', 'orchestr8://guides/retry'], here);
		expect(stdout).toBe(readFileSync(folder.at('resources/guides/retry.md'), 'utf8'));
	});

	it('prints MCP contents with --json', async () => {
		const { stdout } = await mctl(['read', 'orchestr8://guides/cache', '--json'], here);
		expect(JSON.parse(stdout)).toMatchObject({
			schema: 'orchestra.read/1',
			contents: [{ mimeType: 'text/markdown' }],
		});
	});

	it('exits 1 for an unknown URI and suggests a similar one', async () => {
		const { code, stderr } = await mctl(['read', 'orchestr8://guides/retyr'], here);
		expect(code).toBe(1);
		expect(stderr).toBe(
			'mctl: Resource not found: orchestr8://guides/retyr\nhint: did you mean: mctl read orchestr8://guides/retry\n',
		);
	});

	it('takes the folders from flags and from the environment', async () => {
		const flags = await mctl(['read', 'orchestr8://guides/cache', '--resources', folder.at('resources')], {
			cwd: '/',
		});
		const env = { RESOURCES_PATH: folder.at('resources') };
		const environment = await mctl(['read', 'orchestr8://guides/cache'], { cwd: '/', env });
		expect([flags.code, environment.code]).toEqual([0, 0]);
	});

	it('falls back to the starter library', async () => {
		const { stdout } = await mctl(['read', 'orchestr8://guides/first-tool'], { ...here, cwd: '/' });
		expect(stdout).toContain('# Write your first tool');
	});
});

describe('mctl prompt', () => {
	it('fills in arguments, split at the first =', async () => {
		const { stdout } = await mctl(['prompt', 'hello', 'who=a=b', 'mood=glad'], here);
		expect(stdout).toBe('Hello a=b, a=b glad!\n');
	});

	it('prints MCP messages with --json', async () => {
		const { stdout } = await mctl(['prompt', 'hello', 'who=you', '--json'], here);
		expect(JSON.parse(stdout)).toMatchObject({
			schema: 'orchestra.prompt/1',
			name: 'hello',
			messages: [{ role: 'user', content: { type: 'text', text: 'Hello you, you!' } }],
		});
	});

	it('names a missing argument, an unknown prompt and a word that is no pair', async () => {
		const missing = await mctl(['prompt', 'hello'], here);
		expect([missing.code, missing.stderr]).toEqual([
			64,
			expect.stringContaining('Missing required argument: who'),
		]);
		const unknown = await mctl(['prompt', 'helo'], here);
		expect([unknown.code, unknown.stderr]).toEqual([
			1,
			expect.stringContaining('did you mean: mctl prompt hello'),
		]);
		expect((await mctl(['prompt', 'hello', 'who'], here)).code).toBe(64);
	});
});

describe('mctl new', () => {
	it('makes a prompt that works at once', async () => {
		const made = await mctl(['new', 'prompt', 'git/summary'], here);
		expect([made.code, made.stdout]).toEqual([0, `${folder.at('prompts/git/summary.md')}\n`]);
		expect((await mctl(['prompt', 'summary', 'topic=trees'], here)).stdout).toBe('Write about trees.\n');
	});

	it('makes a fragment that can be read and found', async () => {
		expect((await mctl(['new', 'resource', 'patterns/big-outbox', '--json'], here)).code).toBe(0);
		const { stdout } = await mctl(['find', 'big outbox', '--mode', 'index'], here);
		expect(stdout).toContain('orchestr8://patterns/big-outbox Big outbox');
	});

	it('never touches a file that exists, and never leaves its folder', async () => {
		const again = await mctl(['new', 'resource', 'guides/retry'], here);
		expect([again.code, again.stderr]).toEqual([64, expect.stringContaining('exists already')]);
		for (const name of ['../evil', 'a/../../evil', '/etc/evil', 'a/.hidden', 'a//b']) {
			expect((await mctl(['new', 'resource', name], here)).code).toBe(64);
		}
	});
});

describe('renderMarkdown', () => {
	const style = (name: string, text: string): string => `<${name}>${text}</>`;

	it('shows headings, bold, code, lists, links, quotes and rules', () => {
		const text = '# Head\n**b** and `*c*`\n- item\n> q\n[t](u)\n---\n```js\n# code\n```';
		expect(renderMarkdown(text, style, 3).split('\n')).toEqual([
			'<bold>Head</>',
			'<bold>b</> and <cyan>*c*</>',
			'• item',
			'<dim>│ q</>',
			't <dim>(u)</>',
			'<dim>───</>',
			'  <cyan># code</>',
		]);
	});

	it('escapes control sequences', () => {
		const text = 'a\u001B[2Jb\u0007\u009Bc\td';
		expect(renderMarkdown(text, style, 3)).toBe('a\\x1b[2Jb\\x07\\u009bc\td');
	});
});

describe('mctl list', () => {
	it('lists resources by URI and prompts with their arguments, as text and as JSON', async () => {
		const resources = await mctl(['list', 'resources'], here);
		expect(resources.stdout).toMatch(/^orchestr8:\/\/guides\/retry +Retry a call/m);
		const prompts = await mctl(['list', 'prompts'], here);
		expect(prompts.stdout).toMatch(/^hello who= \[mood=\]/m);
		const { stdout } = await mctl(['list', 'prompts', '--json'], here);
		expect(JSON.parse(stdout)).toMatchObject({
			schema: 'orchestra.list/1',
			prompts: expect.arrayContaining([expect.objectContaining({ name: 'hello' })]),
		});
	});
});
