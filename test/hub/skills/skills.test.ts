/* Skills of several servers, of the library and of the project, through one hub. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Skill } from '../../../src/protocol/mcp-types.ts';
import { rpcErrorOf } from '../../../src/rpc/rpc-error.ts';
import { type HubClient, serveServers } from '../../support/served-hub.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const fixture = resolve(import.meta.dirname, '../../fixtures/servers/skills-server.mjs');
const invalidParams = -32602;

describe.each(['modern', 'legacy'] as const)('skills of two servers, for a %s client', (era) => {
	it('are listed under the label of their server, with digests, sizes and front matter as they came', async () => {
		const { client } = await open({ docs: {}, Other: {} }, era);
		const skills = await listed(client);
		expect(skills.map(({ uri }) => uri)).toEqual([
			'skill://docs/pdf/SKILL.md',
			'skill://docs/team/release-notes/SKILL.md',
			expect.stringMatching(/^skill:\/\/other-[\da-f]{8}\/pdf\/SKILL.md$/),
			expect.stringMatching(/^skill:\/\/other-[\da-f]{8}\/team\/release-notes\/SKILL.md$/),
		]);
		expect(skills[0]?.frontmatter).toMatchObject({ name: 'pdf', version: 1.1, updated: '2026-01-02' });
		for (const { resources } of skills) for (const file of files(resources)) await verify(client, file);
	});

	it('are got by URI, and their folders are read', async () => {
		const { client } = await open({ docs: {} }, era);
		const { skill } = await client.request('skills/get', { uri: 'skill://docs/pdf/SKILL.md' });
		expect(skill).toEqual((await listed(client))[0]);
		expect(await children(client, 'skill://docs/pdf')).toEqual([
			'skill://docs/pdf/SKILL.md',
			'skill://docs/pdf/scripts inode/directory',
			'skill://docs/pdf/templates inode/directory',
		]);
		expect(await children(client, 'skill://docs')).toEqual([
			'skill://docs/pdf inode/directory',
			'skill://docs/team inode/directory',
		]);
	});

	it('are invalid params when no server has them', async () => {
		const { client } = await open({ docs: {} }, era);
		await listed(client);
		for (const [method, uri] of [
			['skills/get', 'skill://docs/nothing/SKILL.md'],
			['skills/get', 'skill://nobody/pdf/SKILL.md'],
			['resources/directory/read', 'skill://docs/pdf/SKILL.md'],
			['resources/directory/read', 'skill://docs/pdf/nothing'],
			['resources/read', 'skill://docs/pdf/nothing.md'],
		] as const)
			expect(await client.request(method, { uri }).catch(rpcErrorOf)).toMatchObject({ code: invalidParams });
	});
});

describe('skills of one server', () => {
	it('are all there when another server fails', async () => {
		const { client } = await open({ docs: {}, bad: { args: ['broken'] } });
		expect(await names(client)).toEqual(['pdf', 'release-notes']);
	});

	it('are announced with folders unless a server cannot read those of a dynamic skill', async () => {
		const able = await open({ docs: { args: ['dynamic'] } });
		await listed(able.client);
		expect(await announced(able.client)).toEqual({ directoryRead: true });
		expect(await children(able.client, 'skill://docs/live')).toEqual(['skill://docs/live/SKILL.md']);
		const unable = await open({ docs: { args: ['dynamic', 'nodir'] } });
		await listed(unable.client);
		expect(await announced(unable.client)).toEqual({});
		const read = unable.client.request('resources/directory/read', { uri: 'skill://docs/live' });
		await expect(read.catch(rpcErrorOf)).resolves.toMatchObject({ code: invalidParams });
	});

	it('may have another scheme', async () => {
		const { client } = await open({ docs: { args: ['foreign'] } });
		const uri = 'skill://docs/https:/example.org/x/remote/SKILL.md';
		const found = (await listed(client)).find((skill) => skill.uri === uri);
		for (const file of files(found?.resources)) await verify(client, file);
	});

	it('keep their bytes with `redact`', async () => {
		const { client } = await open({ docs: { redact: true } });
		for (const { resources } of await listed(client))
			for (const file of files(resources)) await verify(client, file);
	});

	it('are found without the label of their server when only one has them', async () => {
		const { client } = await open({ docs: {}, bad: { args: ['broken'] } });
		await listed(client);
		const uri = 'skill://pdf/scripts/extract.py';
		expect(await client.request('resources/read', { uri })).toMatchObject({ contents: [{ uri }] });
		const two = await open({ docs: {}, other: {} });
		await listed(two.client);
		const ambiguous = two.client.request('resources/read', { uri }).catch(rpcErrorOf);
		expect(await ambiguous).toMatchObject({ code: invalidParams });
	});

	it('are found beside tools, and named with the tools that they use', async () => {
		const { client } = await open({ docs: {} }, 'modern', {}, { toolList: { expose: 'search' } });
		const found = await client.call('find_tools', { query: 'write the notes of a release' });
		expect(found).toContain('skill://docs/team/release-notes/SKILL.md: Write the notes of a release');
		expect(found).not.toContain('skill://docs/pdf');
		const described = await client.call('describe_tool', { name: 'docs__read_page' });
		expect(described).toContain('skill://docs/pdf/SKILL.md');
		expect(described).not.toContain('release-notes');
	});

	it('are found beside the documents of the library, within the tokens of the search', async () => {
		const { client } = await open({ docs: {} }, 'modern', {
			'skills/notes-check/SKILL.md':
				'---\nname: notes-check\ndescription: Check the notes of a release\n---\nRead.\n',
			'resources/guides/release.md': '# Release\n\nThe notes of a release have a date.\n',
		});
		await listed(client);
		const text = await match(client, 'orchestr8://match?query=notes+of+a+release');
		expect(text).toContain('orchestr8://guides/release');
		expect(text).toContain('skill://docs/team/release-notes/SKILL.md: Write the notes of a release');
		expect(text).toContain('skill://project/notes-check/SKILL.md: Check the notes of a release');
		expect(text).not.toContain('skill://library/');
		expect(await match(client, 'orchestr8://match?query=notes+of+a+release&maxTokens=20')).not.toContain(
			'skill:',
		);
		expect(await match(client, 'orchestr8://guides/match?query=notes+of+a+release')).not.toContain('skill:');
	});

	it('have the same URIs in resources and results', async () => {
		const { client } = await open({ docs: {} });
		const { resources } = (await client.request('resources/list')) as { resources: { uri: string }[] };
		expect(resources.map(({ uri }) => uri)).toContain('skill://docs/pdf/SKILL.md');
		const { content } = await client.request('tools/call', { name: 'docs__read_page', arguments: {} });
		expect(content).toMatchObject([{}, { uri: 'skill://docs/pdf/SKILL.md' }]);
	});
});

describe('skills of this machine', () => {
	it('are the folders of the project and the pages of the library, each with its digest', async () => {
		const { client } = await open({}, 'modern', {
			'.claude/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: Deploy it\n---\nRun it.\n',
			'.claude/skills/deploy/scripts/run.sh': 'echo\n',
			'.claude/skills/deploy/data/words.txt': 'word\n'.repeat(1_200_000),
			'skills/wrong/SKILL.md': '---\nname: other\ndescription: Its name is not its folder\n---\n',
			'prompts/fix.md': 'Fix {{task}} now.\n',
			'resources/guides/Error Handling.md':
				'---\ntags: [errors]\nweight: 1.50\n---\n# Errors\n\nHandle each error once.\n',
			'resources/packs/pdf/SKILL.md': '---\nname: pdf\ndescription: PDF\n---\n',
			'resources/packs/pdf/forms/a.md': '# A\n',
		});
		const skills = await listed(client);
		expect(skills.map(({ uri }) => uri)).toEqual([
			'skill://library/guides/error-handling/SKILL.md',
			'skill://library/packs/pdf/SKILL.md',
			'skill://library/prompts/fix/SKILL.md',
			'skill://project/deploy/SKILL.md',
		]);
		expect(skills[0]?.frontmatter).toEqual({
			name: 'error-handling',
			description: 'Handle each error once.',
			tags: ['errors'],
			weight: 1.5,
		});
		for (const { resources } of skills) for (const file of files(resources)) await verify(client, file);
		expect(await children(client, 'skill://library/packs/pdf')).toEqual([
			'skill://library/packs/pdf/SKILL.md',
			'skill://library/packs/pdf/forms inode/directory',
		]);
	});
});

async function open(
	servers: Record<string, { args?: string[]; redact?: boolean }>,
	era: 'modern' | 'legacy' = 'modern',
	written: Record<string, string> = {},
	more: object = {},
): Promise<{ client: HubClient }> {
	const folder = temporaryFolder();
	writeFiles(folder, written);
	const entries = Object.entries(servers).map(([name, { args = [], redact = false }]) => [
		name,
		{ command: process.execPath, args: [fixture, ...args], redact },
	]);
	const library = { prompts: join(folder, 'prompts'), resources: join(folder, 'resources') };
	const served = await serveServers(Object.fromEntries(entries), { folder, more: { library, ...more } });
	return { client: await served.client({ era }) };
}

/** All pages of the list. */
async function listed(client: HubClient): Promise<readonly Skill[]> {
	const { skills } = await client.request('skills/list');
	return skills as readonly Skill[];
}

async function match(client: HubClient, uri: string): Promise<string | undefined> {
	const { contents } = await client.request('resources/read', { uri });
	return (contents as { text: string }[])[0]?.text;
}

async function names(client: HubClient): Promise<unknown[]> {
	return (await listed(client)).map(({ frontmatter }) => frontmatter['name']);
}

async function announced(client: HubClient): Promise<unknown> {
	const { capabilities } = await client.request('server/discover');
	return (capabilities as { extensions: Record<string, unknown> }).extensions[
		'io.modelcontextprotocol/skills'
	];
}

async function children(client: HubClient, uri: string): Promise<string[]> {
	const { resources } = await client.request('resources/directory/read', { uri });
	return (resources as { uri: string; mimeType?: string }[]).map((child) =>
		child.mimeType === 'inode/directory' ? `${child.uri} ${child.mimeType}` : child.uri,
	);
}

/** The bytes of a file are those of its digest, and have the URI that was asked for. */
async function verify(
	client: HubClient,
	{ uri, digest, size }: { uri: string; digest: string; size: number },
): Promise<void> {
	const { contents } = await client.request('resources/read', { uri });
	const [content] = contents as { uri: string; text?: string; blob?: string }[];
	const bytes =
		content?.text === undefined ? Buffer.from(content?.blob ?? '', 'base64') : Buffer.from(content.text);
	expect(content?.uri).toBe(uri);
	expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
	expect(bytes.length).toBe(size);
}

function files(resources: Skill['resources'] | undefined): { uri: string; digest: string; size: number }[] {
	if (!Array.isArray(resources)) throw new Error('the skill has no list of files');
	return resources;
}
