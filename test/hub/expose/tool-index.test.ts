/* How tools are ranked. */
import { expect, it } from 'vitest';
import { ToolIndex } from '../../../src/hub/expose/tool-index.ts';
import { ToolUsage } from '../../../src/hub/expose/tool-usage.ts';
import { Log } from '../../../src/log.ts';

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
])('finds for "%s" first %s', (query, name) => {
	expect(found(query)[0]).toBe(name);
});

it('takes a server by its own name, also in camel case and where a tool of another has it in its name', () => {
	const more = [
		...tools,
		offered('crawler', 'search_github', 'Search issues and pull requests of GitHub'),
		...['one', 'two', 'three'].flatMap((server) =>
			Array.from({ length: 120 }, (_, at) => offered(server, `thing_${at}`, 'Something else')),
		),
	];
	expect(found('create an issue on GitHub', new ToolUsage(), more)[0]).toBe('github__create_issue');
});

it('prefers for a step the server that the other steps need', () => {
	const more = [
		...tools,
		offered('cluster', 'describe_pod', 'Describe a pod of the cluster'),
		offered('cluster', 'get_logs', 'Get the logs of a pod'),
		offered('phone', 'get_logs', 'Get the logs of a phone'),
	];
	const names = found('describe the pod and read its logs', new ToolUsage(), more).slice(0, 2);
	expect(names.sort()).toEqual(['cluster__describe_pod', 'cluster__get_logs']);
});

it('answers every step of a task', () => {
	const names = found('create a folder, read the file and then merge the pull request').slice(0, 3);
	expect(names.sort()).toEqual(['files__create_directory', 'files__read_file', 'github__merge_pull_request']);
});

it('prefers, of two equal tools, the one that was called successfully', () => {
	const usage = new ToolUsage();
	const [first = '', second = ''] = found('create a new issue');
	expect([first, second].sort()).toEqual(['github__create_issue', 'gitlab__create_issue']);
	for (let call = 0; call < 32; call++) usage.used(second);
	expect(found('create a new issue', usage)[0]).toBe(second);
});

it('follows a list that changes', () => {
	const index = new ToolIndex(new ToolUsage(), Log.silent);
	const search = (list: typeof tools): string[] =>
		index.search(list, { query: 'merge', limit: 5, accept: () => true }).map(({ id }) => id);
	expect(search(tools)).toContain('github__merge_pull_request');
	expect(search(tools.slice(0, 3))).not.toContain('github__merge_pull_request');
});

function found(query: string, usage = new ToolUsage(), list = tools): string[] {
	const index = new ToolIndex(usage, Log.silent);
	return index.search(list, { query, limit: 5, accept: () => true }).map(({ id }) => id);
}

function offered(server: string, name: string, description: string, properties: object = {}) {
	const inputSchema = { type: 'object', properties: { ...properties } };
	return { server, tool: { name: `${server}__${name}`, description, inputSchema } };
}
