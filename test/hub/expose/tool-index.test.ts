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

function found(query: string, usage = new ToolUsage()): string[] {
	const index = new ToolIndex(usage, Log.silent);
	return index.search(tools, { query, limit: 5, accept: () => true }).map(({ id }) => id);
}

function offered(server: string, name: string, description: string, properties: object = {}) {
	const inputSchema = { type: 'object', properties: { ...properties } };
	return { server, tool: { name: `${server}__${name}`, description, inputSchema } };
}
