/* How tools are ranked. */
import { expect, it } from 'vitest';
import { toolFields } from '../../../src/hub/expose/tool-document.ts';
import { ToolIndex } from '../../../src/hub/expose/tool-index.ts';
import { ToolRanking } from '../../../src/hub/expose/tool-ranking.ts';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import { searchDataSteps } from '../../../src/library/match/search-data.ts';
import { Log } from '../../../src/log.ts';
import { SearchIndex } from '../../../src/search/index/search-index.ts';

const tools = [
	offered('files', 'read_file', 'Read the contents of a file'),
	offered('files', 'delete_file', 'Delete a file from the disk'),
	offered('files', 'create_directory', 'Create a new folder'),
	offered('github', 'create_issue', 'Create a new issue'),
	offered('github', 'merge_pull_request', 'Merge a pull request'),
	offered('gitlab', 'create_issue', 'Create a new issue'),
	offered('mail', 'sendMessage', 'Send a mail', {
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

it('takes a server by its own name, also in camel case and where a tool of another has it in its name', async () => {
	const more = [
		...tools,
		offered('crawler', 'search_github', 'Search issues and pull requests of GitHub'),
		...['one', 'two', 'three'].flatMap((server) =>
			Array.from({ length: 120 }, (_, at) => offered(server, `thing_${at}`, 'Something else')),
		),
	];
	expect((await found('create an issue on GitHub', new ToolUsage(), more))[0]).toBe('github__create_issue');
});

it('ranks the tools of one long server in slices, and reads the lists of words in slices too', async () => {
	const long = Array.from({ length: 50 }, (_, at) => offered('one', `thing_${at}`, 'Something'));
	let slices = 0;
	await ToolRanking.over(long, new ToolUsage(), { isOver: true, next: async () => void slices++ });
	expect(slices).toBeGreaterThanOrEqual(long.length);
	const index = new SearchIndex(toolFields);
	expect([...searchDataSteps(index, Log.silent)].length).toBeGreaterThan(5);
});

it('prefers for a step the server that the other steps need', async () => {
	const more = [
		...tools,
		offered('cluster', 'describe_pod', 'Describe a pod of the cluster'),
		offered('cluster', 'get_logs', 'Get the logs of a pod'),
		offered('phone', 'get_logs', 'Get the logs of a phone'),
	];
	const names = (await found('describe the pod and read its logs', new ToolUsage(), more)).slice(0, 2);
	expect(names.sort()).toEqual(['cluster__describe_pod', 'cluster__get_logs']);
});

it('answers every step of a task', async () => {
	const names = (await found('create a folder, read the file and then merge the pull request')).slice(0, 3);
	expect(names.sort()).toEqual(['files__create_directory', 'files__read_file', 'github__merge_pull_request']);
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
		offered('many', `thing_${at}`, `Merge the thing ${at}`),
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

function offered(server: string, name: string, description: string, properties: object = {}) {
	const inputSchema = { type: 'object', properties: { ...properties } };
	return { server, tool: { name: `${server}__${name}`, description, inputSchema } };
}
