/*
 * Skills through a hub: two servers on the official SDK with equal skills, the library, and the official client, which
 * verifies each file that it reads.
 */
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';
import { homeVariables, temporaryFolder, writeFiles } from '../support/workspace.ts';

const program = resolve(import.meta.dirname, '../fixtures/servers/sdk-skills-server.mjs');

type ListedSkill = Parameters<SkillsClient['read']>[0];

describe.each(['legacy', { pin: '2026-07-28' }] as const)('the official client of skills, %j', (mode) => {
	it('verifies every file of two servers with equal skills, and of the library', async () => {
		const skills = await skillsClient(mode);
		const listed = await listOf(skills);
		const uris = listed.map(({ uri }) => uri);
		expect(uris).toContain('skill://library/guides/errors/SKILL.md');
		for (const skill of listed) {
			const files = Array.isArray(skill.resources) ? skill.resources : [];
			for (const { uri } of files) expect(await skills.read(skill, uri)).toMatchObject({ verified: true });
			expect((await skills.get(skill.uri)).skill).toEqual(skill);
		}
		const [one, two] = ['one', 'two'].map((name) => listed.find(({ uri }) => uri.includes(`//${name}/`)));
		expect(await textOf(skills, one)).toContain('Of one.');
		expect(await textOf(skills, two)).toContain('Of two.');
		const { resources } = await skills.readDirectory('skill://two/pdf-work');
		expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
			['skill://two/pdf-work/SKILL.md', 'text/markdown'],
			['skill://two/pdf-work/templates', 'inode/directory'],
		]);
	});
});

/** The list with the skills of both servers: the first one does not wait for servers without end. */
async function listOf(skills: SkillsClient): Promise<ListedSkill[]> {
	let listed: ListedSkill[] = [];
	await until('both servers are listed', async () => {
		({ skills: listed } = await skills.list());
		const uris = listed.map(({ uri }) => uri);
		return ['one', 'two'].every((name) => uris.includes(`skill://${name}/pdf-work/SKILL.md`));
	});
	return listed;
}

async function skillsClient(mode: 'legacy' | { pin: string }): Promise<SkillsClient> {
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	const server = (name: string): object => ({
		command: process.execPath,
		args: [program, join(home, name)],
	});
	writeFiles(home, {
		...skillIn('one'),
		...skillIn('two'),
		'work/resources/guides/errors.md': '# Errors\n\nHandle each error once.\n',
		'work/orchestra.json': JSON.stringify({
			mcpServers: { one: server('one'), two: server('two') },
			library: { resources: './resources' },
		}),
	});
	const client = new Client({ name: 'skills', version: '1' }, { versionNegotiation: { mode } });
	onTestFinished(() => client.close());
	const env = { ...homeVariables(home), ORCHESTRA_TRUST: 'all' };
	await client.connect(
		new StdioClientTransport({
			command: process.execPath,
			args: [main, 'serve'],
			cwd,
			env,
			stderr: 'ignore',
		}),
	);
	return new SkillsClient(client);
}

function skillIn(name: string): Record<string, string> {
	return {
		[`${name}/pdf-work/SKILL.md`]: `---\nname: pdf-work\ndescription: Work on PDF files\n---\n\nOf ${name}.\n`,
		[`${name}/pdf-work/templates/form.md`]: `# Form of ${name}\r\n`,
	};
}

async function textOf(skills: SkillsClient, skill: ListedSkill | undefined): Promise<string | undefined> {
	return skill && (await skills.read(skill)).text;
}
