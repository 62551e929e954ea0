/* How tools are ranked. */
import { expect, it } from 'vitest';
import { toolFields } from '../../../src/hub/expose/tool-document.ts';
import { ToolIndex } from '../../../src/hub/expose/tool-index.ts';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import { searchDataSteps } from '../../../src/library/match/search-data.ts';
import { Log } from '../../../src/log.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';

const tools = [
	serverTool('files', 'read_file', 'Read the contents of a file'),
	serverTool('files', 'delete_file', 'Delete a file from the disk'),
	serverTool('files', 'create_directory', 'Create a new folder'),
	serverTool('github', 'create_issue', 'Create a new issue'),
	serverTool('github', 'merge_pull_request', 'Merge a pull request'),
	serverTool('gitlab', 'create_issue', 'Create a new issue'),
	serverTool('mail', 'sendMessage', 'Send a mail', {
		recipient: { type: 'string', description: 'The address' },
	}),
];

it.each([
	['remove a file', 'files__delete_file'],
	['open a new issue on gitlab', 'gitlab__create_issue'],
	['mrge pull reqest', 'github__merge_pull_request'],
	['Datei löschen', 'files__delete_file'],
	['send a message to a recipient', 'mail__sendMessage'],
])('finds for "%s" first %s', async (query, name) => {
	expect((await found(query))[0]).toBe(name);
});

it('finds the tools of a memory for what should be remembered, also beside a name that has a word of it', async () => {
	const few = [
		...tools,
		serverTool('memory', 'create_entities', 'Create multiple new entities in the knowledge graph'),
		serverTool(
			'memory',
			'add_observations',
			'Add new observations to existing entities in the knowledge graph',
		),
		serverTool('memory', 'search_nodes', 'Search for nodes in the knowledge graph'),
		serverTool('jobs', 'work_plain', ''),
	];
	const names = await found('remember that Anna works at Acme', new ToolUsage(), few);
	expect(names.slice(0, 3)).toEqual(
		expect.arrayContaining(['memory__create_entities', 'memory__add_observations']),
	);
});

it.each(['excel', 'excel Zlatibor', 'excel Kilimanjaro', 'penguin excel volcano'])(
	'finds by near meaning what "%s" is about, whatever the terms that occur nowhere are',
	async (query) => {
		const few = [
			serverTool('db', 'query', 'Run SQL'),
			serverTool('mail', 'send', 'Send an e-mail'),
			serverTool('slack', 'post', 'Post a message to a channel'),
		];
		expect(await found(query, new ToolUsage(), few)).toEqual(['db__query']);
	},
);

it('takes a server by its own name, also in camel case and where a tool of another has it in its name', async () => {
	const more = [
		...tools,
		serverTool('crawler', 'search_github', 'Search issues and pull requests of GitHub'),
		...['one', 'two', 'three'].flatMap((server) =>
			Array.from({ length: 120 }, (_, at) => serverTool(server, `thing_${at}`, 'Something else')),
		),
	];
	expect((await found('create an issue on GitHub', new ToolUsage(), more))[0]).toBe('github__create_issue');
});

it('loads the search data in slices', () => {
	const index = new SearchIndex(toolFields);
	expect([...searchDataSteps(index, Log.silent)].length).toBeGreaterThan(5);
});

it('finds the thing among thirty tools with the verb of the query', async () => {
	const things =
		'user team issue label page table chart note event task board card file folder branch tag'.split(' ');
	const many = [...things, ...things.map((thing) => `${thing}_template`)].map((thing) =>
		serverTool('work', `create_${thing}`, `Create a new ${thing.replace('_', ' ')}`),
	);
	const list = [...many, serverTool('draw', 'flowchart', 'Steps and decisions as a picture')];
	expect(await found('create flowchart', new ToolUsage(), list)).toContain('draw__flowchart');
});

it.each([
	'read the file /srv/zlatibor/kopaonik-4711.md',
	'read a file for Jovana Zlatibor on 14 March 2027',
	'read the file "delete the quarterly pull request"',
	'read file https://zlatibor.example/a?b=91',
	'read the file of zlatibor/create-issue.js',
])('is not led astray by names, numbers and quotations: %s', async (query) => {
	expect((await found(query))[0]).toBe('files__read_file');
});

it('finds by everyday terms what tools call otherwise', async () => {
	const list = [
		...tools,
		serverTool('cal', 'update-event', 'Update an event'),
		serverTool('kv', 'expire', 'Set a TTL'),
	];
	expect((await found('bring the appointment forward', new ToolUsage(), list))[0]).toBe('cal__update-event');
	expect((await found('temporary value that vanishes tonight', new ToolUsage(), list))[0]).toBe('kv__expire');
});

it('finds a tool by what its server says of itself', async () => {
	const list = [
		...tools,
		{
			...serverTool('kb', 'lookup', 'Look something up'),
			about: 'Beekeeping handbook: hives, queens, swarms',
		},
	];
	expect((await found('swarms of bees in the hive', new ToolUsage(), list))[0]).toBe('kb__lookup');
});

it('takes the task of the agent as the context of a query', async () => {
	const list = [
		...tools,
		serverTool('cluster', 'get_logs', 'Get the logs of a pod'),
		serverTool('phone', 'get_logs', 'Get the logs of a handset'),
	];
	const index = new ToolIndex(new ToolUsage(), Log.silent);
	const first = async (task: string): Promise<string | undefined> =>
		(await index.search(list, { query: 'get the logs', task, limit: 5, accept: () => true }))[0]?.id;
	expect(await first('my pod crashes after the upgrade of the cluster')).toBe('cluster__get_logs');
	expect(await first('the app on my phone crashes, a cheap handset')).toBe('phone__get_logs');
});

it('prefers for a step the server that the other steps need', async () => {
	const more = [
		...tools,
		serverTool('cluster', 'describe_pod', 'Describe a pod of the cluster'),
		serverTool('cluster', 'get_logs', 'Get the logs of a pod'),
		serverTool('phone', 'get_logs', 'Get the logs of a phone'),
	];
	const names = (await found('describe the pod and read its logs', new ToolUsage(), more)).slice(0, 2);
	expect(names.sort()).toEqual(['cluster__describe_pod', 'cluster__get_logs']);
});

it('answers every step of a task', async () => {
	const names = (await found('create a folder, read the file and then merge the pull request')).slice(0, 3);
	expect(names.sort()).toEqual(['files__create_directory', 'files__read_file', 'github__merge_pull_request']);
});

it('answers a step of one verb, with the server of the other steps', async () => {
	const more = [
		...tools,
		serverTool('builds', 'list_jobs', 'List the jobs of a pipeline, those that failed too'),
		serverTool('builds', 'get_job_output', 'The output of a job'),
		serverTool('builds', 'retry_job', 'Retry a job'),
		serverTool('builds', 'play_job', 'Run a manual job of a pipeline'),
		serverTool('builds', 'cancel_job', 'Cancel a job of a pipeline'),
		serverTool('queue', 'retry', 'Retry it'),
		serverTool('shell', 'read_output', 'Read the output of a process'),
	];
	const query = 'find the failing job of a pipeline, read its output and retry it';
	const names = (await found(query, new ToolUsage(), more)).slice(0, 3);
	expect(names.sort()).toEqual(['builds__get_job_output', 'builds__list_jobs', 'builds__retry_job']);
});

it('prefers, of two equal tools, the one that was called successfully', async () => {
	const usage = new ToolUsage();
	const [first = '', second = ''] = await found('create a new issue');
	expect([first, second].sort()).toEqual(['github__create_issue', 'gitlab__create_issue']);
	for (let call = 0; call < 32; call++) usage.used(second);
	expect((await found('create a new issue', usage))[0]).toBe(second);
});

it('follows a list that changes', async () => {
	const index = new ToolIndex(new ToolUsage(), Log.silent);
	const search = async (list: typeof tools): Promise<string[]> =>
		(await index.search(list, { query: 'merge', limit: 5, accept: () => true })).map(({ id }) => id);
	expect(await search(tools)).toContain('github__merge_pull_request');
	expect(await search(tools.slice(0, 3))).not.toContain('github__merge_pull_request');
});

it('lets other work run while it indexes a long list, and each search sees its own list alone', async () => {
	const index = new ToolIndex(new ToolUsage(), Log.silent);
	const many = Array.from({ length: 3000 }, (_, at) =>
		serverTool('many', `thing_${at}`, `Merge the thing ${at}`),
	);
	const search = async (list: typeof tools, query: string): Promise<string[]> =>
		(await index.search(list, { query, limit: 5, accept: () => true })).map(({ id }) => id);
	let passes = 0;
	let isDone = false;
	const other = (): void => {
		passes++;
		if (!isDone) setImmediate(other);
	};
	await search(tools, 'merge'); // loads the data of the ranker
	setImmediate(other);
	const [long, short, again] = await Promise.all([
		search(many, 'merge the thing 2999'),
		search(tools, 'merge the thing'),
		search(many, 'merge the thing 2999'),
	]);
	isDone = true;
	expect(passes).toBeGreaterThan(3);
	expect(long[0]).toBe('many__thing_2999');
	expect(again).toEqual(long);
	expect(short[0]).toBe('github__merge_pull_request');
	expect(short.some((name) => name.startsWith('many'))).toBe(false);
});

async function found(query: string, usage = new ToolUsage(), list = tools): Promise<string[]> {
	const index = new ToolIndex(usage, Log.silent);
	return (await index.search(list, { query, limit: 5, accept: () => true })).map(({ id }) => id);
}

function serverTool(server: string, name: string, description: string, properties: object = {}) {
	const inputSchema = { type: 'object', properties: { ...properties } };
	return { server, tool: { name: `${server}__${name}`, description, inputSchema } };
}
