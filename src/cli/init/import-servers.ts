/*
 * Import the servers of all clients, and put our one entry in their place.
 *
 * Everything is read and planned first. Then all files are written with a backup, or
 * shown as a diff.
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bridgeLaunches } from '../../config/clients/bridge-entry.ts';
import { type ClientFiles, readClientFiles } from '../../config/clients/client-files.ts';
import type { ClientId } from '../../config/clients/client-table.ts';
import { applyImport } from '../../config/clients/import-backup.ts';
import { type ImportEdits, planImportEdits, type TargetFile } from '../../config/clients/import-edits.ts';
import { type FoundServer, foundServers } from '../../config/clients/import-plan.ts';
import { readTarget } from '../../config/clients/import-targets.ts';
import { userFile } from '../../config/load.ts';
import { emptyConfigurationText, newConfigurationText } from '../../config/new-configuration.ts';
import { LOCK_FILE } from '../../config/project-file.ts';
import { trustsAll } from '../../config/trust/blocked.ts';
import { importTrust } from '../../config/trust/trust-edit.ts';
import { OrchestraError } from '../../errors.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { printableLine } from '../../printable.ts';
import { type CommandInput, type CommandPlace, canAskUser } from '../command.ts';
import { warnUntrusted } from '../edit/edit-servers.ts';
import { endUnfinished } from '../registry/unfinished-change.ts';
import { askInputs, withAskable, withInputsStored } from './ask-inputs.ts';
import { askServers, namedServers } from './init-choice.ts';
import { clientTitle, importObject, showDiff, showServers, warningsOf } from './init-report.ts';

/** The clients of this machine, as seen from a project. */
export interface ClientImport {
	readonly project: string;
	readonly clients: ClientFiles;
	readonly targets: { readonly project: TargetFile | undefined; readonly user: TargetFile | undefined };
	readonly found: readonly FoundServer[];
	readonly isForUser: boolean;
}

export interface ImportOptions {
	readonly home: string;
	readonly isForUser: boolean;
	/** Only this one. */
	readonly client?: ClientId | undefined;
	/** Equal servers of different names become one. */
	readonly isMerged?: boolean | undefined;
	/** There is a user to ask for values of servers. */
	readonly canAsk?: boolean | undefined;
}

/** Read all clients. With `isForUser`, or in the home folder, everything is for the user's configuration. */
export function openImport(
	{ cwd, environment }: CommandPlace,
	{ home, isForUser: isUserWide, client, isMerged = false, canAsk = false }: ImportOptions,
): ClientImport {
	const project = cwd;
	const isForUser = isUserWide || project === home;
	const user = userFile(environment);
	const targets = {
		project: isForUser
			? undefined
			: readTarget(join(project, 'orchestra.json'), newConfigurationText(project, {}), 0o644),
		user: user === undefined ? undefined : readTarget(user, emptyConfigurationText(dirname(user)), 0o600),
	};
	const all = readClientFiles({ platform: process.platform, home, project, environment });
	const existing = { project: targets.project?.servers ?? {}, user: targets.user?.servers ?? {} };
	const taken = new Set([...Object.keys(existing.project), ...Object.keys(existing.user)]);
	const read = client === undefined ? all : filesOf(all, client);
	const clients = withAskable(read, taken, canAsk);
	return { project, clients, targets, found: foundServers(clients.files, existing, isMerged), isForUser };
}

function filesOf({ files, broken }: ClientFiles, client: ClientId): ClientFiles {
	return {
		files: files.filter((file) => file.client.id === client),
		broken: broken.filter(({ location }) => location.client.id === client),
	};
}

/** Show what was found, choose, and write or show the changes. */
export async function runImport(clientImport: ClientImport, input: CommandInput): Promise<void> {
	const { flags, out, environment } = input;
	const warnings = warningsOf(clientImport.clients, clientImport.found);
	if (flags['json'] !== true) showServers(out, clientImport.clients, clientImport.found);
	for (const warning of warnings) out.info(`${out.stderrStyle('yellow', 'warn:')} ${warning}`);
	const wanted = await chooseServers(clientImport, input);
	if (wanted === undefined) return out.info('Nothing was changed.');
	if (flags['dry-run'] === true) return importChosen(clientImport, { chosen: wanted, warnings }, input);
	await endUnfinished(environment);
	const fileOf = (server: FoundServer): string => targetOf(server, clientImport);
	await withInputsStored(await askInputs(wanted, input), { input, fileOf }, (chosen) =>
		importChosen(clientImport, { chosen, warnings }, input),
	);
}

/** Write the changes for the chosen servers, or show them. */
async function importChosen(
	clientImport: ClientImport,
	{ chosen, warnings }: { chosen: readonly FoundServer[]; warnings: readonly string[] },
	input: CommandInput,
): Promise<void> {
	const { flags, out, environment } = input;
	const isDryRun = flags['dry-run'] === true;
	const plan = planImportEdits({
		files: clientImport.clients.files,
		chosen,
		targets: clientImport.targets,
		launches: bridgeLaunches(environment),
		project: clientImport.project,
		isForUser: clientImport.isForUser,
		keepsServers: flags['keep'] === true,
	});
	for (const { message, hint } of plan.refused)
		out.info(`warn: ${message}${hint === undefined ? '' : `. ${hint}`}`);
	const isWritten = plan.files.length > 0 && !isDryRun;
	const untrusted = isWritten ? await writeImport(clientImport, plan, { chosen, environment }) : undefined;
	warnUntrusted(out, 'orchestra.json', untrusted);
	if (flags['json'] === true)
		return out.json(importObject(clientImport, { plan, chosen, warnings, isDryRun }));
	if (plan.files.length === 0) return out.line('Nothing to do: everything is imported and connected.');
	if (isDryRun) return showDiff(out, plan, clientImport.found);
	report(input, clientImport, plan);
}

/** The configuration that a server goes to. */
function targetOf({ sources }: FoundServer, { targets, isForUser }: ClientImport): string {
	const isOfProject = !isForUser && sources.some(({ server }) => server.scope === 'project');
	return (isOfProject ? targets.project : targets.user)?.path ?? '';
}

/** Returns the reason when `orchestra.json` is not trusted afterwards. */
async function writeImport(
	clientImport: ClientImport,
	plan: ImportEdits,
	{ chosen, environment }: { chosen: readonly FoundServer[]; environment: CommandInput['environment'] },
): Promise<string | undefined> {
	const isNewProject =
		clientImport.targets.project !== undefined && clientImport.targets.project.before === undefined;
	const tools = join(clientImport.project, 'tools');
	const folders = isNewProject && !existsSync(tools) ? [tools] : [];
	const untrusted = await trustPlan(plan, clientImport, { chosen, environment });
	const products = isNewProject ? [join(clientImport.project, LOCK_FILE)] : [];
	applyImport(plan.files, { folders, products }, stateFolder(environment));
	return untrusted;
}

/** Trust for `orchestra.json`; servers of a file of the project, which a stranger may have written, are not trusted by that. */
async function trustPlan(
	{ files }: ImportEdits,
	{ targets }: ClientImport,
	{ chosen, environment }: { chosen: readonly FoundServer[]; environment: CommandInput['environment'] },
): Promise<string | undefined> {
	const edit = files.find(({ path }) => path === targets.project?.path);
	if (edit === undefined) return undefined;
	const sources = chosen.flatMap((server) => server.sources.map(({ file }) => file));
	return importTrust(
		edit,
		sources.filter(({ scope }) => scope === 'project'),
		environment,
	);
}

async function chooseServers(
	{ found }: ClientImport,
	input: CommandInput,
): Promise<readonly FoundServer[] | undefined> {
	const { flags, out, environment } = input;
	const { only } = flags;
	if (typeof only === 'string') return namedServers(found, only);
	const isForAll = flags['user'] === true && flags['yes'] === true && !trustsAll(environment);
	if (isForAll) return withoutProjectServers(found, out);
	if (flags['yes'] === true || flags['dry-run'] === true) return found;
	if (canAskUser(input)) return askServers(found, input);
	throw new OrchestraError('bad_input', 'there is no terminal to choose the servers on', {
		hint: 'Add --yes for all, --only a,b for some, or --dry-run to see the changes.',
	});
}

/** The user's configuration is trusted in every project, so what a repository brings is imported only by name. */
function withoutProjectServers(found: readonly FoundServer[], out: CommandInput['out']): FoundServer[] {
	const isOfProject = ({ sources }: FoundServer): boolean =>
		sources.every(({ file }) => file.scope === 'project');
	const left = found.filter(isOfProject).map(({ name }) => printableLine(name));
	if (left.length > 0)
		out.info(
			`note: not imported, because a file of this project has them: ${left.join(', ')}; --only imports them by name`,
		);
	return found.filter((server) => !isOfProject(server));
}

function report({ out }: CommandInput, { project, clients }: ClientImport, { files }: ImportEdits): void {
	for (const { path, before } of files) {
		const client = clientTitle(clients, path);
		const mark = before === undefined ? out.style('green', '+') : out.style('yellow', '~');
		out.line(`${mark} ${shownPath(path, project)}${client === undefined ? '' : ` (${client})`}`);
	}
	out.line('\nNext: mctl list servers --check, then restart your clients');
	out.line('Undo: mctl init --undo');
}

export function shownPath(path: string, project: string): string {
	const inside = relative(project, path);
	return inside.startsWith('..') ? path : inside;
}
