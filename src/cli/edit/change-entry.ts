/* `mctl enable`, `disable` and `remove`: switch a server or plugin without touching the rest of its entry, or take the entry out. */
import { enabledEdit } from '../../config/edit/entry-switches.ts';
import { removeJsonKey } from '../../config/edit/json-edit.ts';
import { loadConfiguration } from '../../config/load.ts';
import { messageOf } from '../../errors.ts';
import type { Command, CommandInput } from '../command.ts';
import { forgetFailures } from '../learn/learn.ts';
import { changeOf } from '../registry/server-packages.ts';
import { endUnfinished, removeLeftovers, withRecord } from '../registry/unfinished-change.ts';
import {
	editFlags,
	fileWith,
	fileWithEntry,
	oneServer,
	reportEdit,
	warnIfUnused,
	writeEdit,
} from './edit-servers.ts';

export const enable: Command = {
	usage: 'mctl enable <name> [-s project|user] [--json]',
	examples: ['mctl enable files', 'mctl enable tools.features', 'mctl enable files --scope user'],
	flags: editFlags,
	args: oneServer,

	async run(input) {
		await switchServer(input, enable, true);
	},
};

export const disable: Command = {
	usage: 'mctl disable <name> [-s project|user] [--json]',
	examples: ['mctl disable files', 'mctl disable tools.features', 'mctl disable files --scope user'],
	flags: editFlags,
	args: oneServer,

	async run(input) {
		await switchServer(input, disable, false);
	},
};

async function switchServer(input: CommandInput, command: Command, isEnabled: boolean): Promise<void> {
	const name = input.args[0] ?? '';
	const file = fileWithEntry(name, input, command);
	const state = isEnabled ? 'enabled' : 'disabled';
	const text = enabledEdit(file, name, isEnabled);
	const edit = { name, file, change: state, wasChanged: text !== undefined } as const;
	if (text === undefined) return reportEdit(input, edit, [`${name} is ${state} already in ${file.path}`]);
	await writeEdit(input, file, text);
	if (isEnabled) forgetFailureOf(name, input);
	warnIfUnused(input, file);
	const mark = input.out.style(isEnabled ? 'green' : 'yellow', '~');
	reportEdit(input, edit, [`${mark} ${name} is ${state} in ${file.path}`]);
}

/** The user may have corrected what it failed for. */
function forgetFailureOf(server: string, { cwd, environment }: CommandInput): void {
	const { mcpServers } = loadConfiguration({ cwd, environment }).configuration;
	forgetFailures(
		mcpServers.filter(({ name }) => name === server),
		environment,
	);
}

export const remove: Command = {
	usage: 'mctl remove <name> [-s project|user] [--json]',
	examples: ['mctl remove files', 'mctl remove files --scope user'],
	flags: editFlags,
	args: oneServer,

	async run(input) {
		const { out, environment } = input;
		const name = input.args[0] ?? '';
		await endUnfinished(environment);
		const file = fileWith(name, input, remove);
		const change = changeOf(name, file, environment);
		await withRecord(change, environment, async () => {
			await writeEdit(input, file, (now) => removeJsonKey(now.text, ['mcpServers', name]));
			// The entry is gone, so this is done also when it cannot be whole.
			await removeLeftovers(change, environment).catch((error: unknown) =>
				out.info(`note: ${messageOf(error)}`),
			);
		});
		warnIfUnused(input, file);
		reportEdit(input, { name, file, change: 'removed', wasChanged: true }, [
			`${out.style('red', '-')} ${name} in ${file.path}`,
		]);
	},
};
