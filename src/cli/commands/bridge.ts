/* `mctl bridge`: what an agent starts to reach a hub. */
import { statSync } from 'node:fs';
import type { FindHub, HubEndpoint } from '../../bridge/dial-hub.ts';
import { runBridge } from '../../bridge/run-bridge.ts';
import { clientFolderOf, rootFolder } from '../../config/clients/project-folder.ts';
import { loadConfiguration } from '../../config/load.ts';
import { refuseSelf, STARTED_BY } from '../../config/self-entry.ts';
import type { OrchestraError } from '../../errors.ts';
import { attempt } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { trustInstructions } from '../../hub/project-trust.ts';
import { ClientBudgets } from '../../hub/results/client-budgets.ts';
import { LOOK, lookGuide } from '../../hub/results/look/look-tool.ts';
import { joinedInstructions } from '../../hub/server-instructions.ts';
import { diagnoseBlockedHub } from '../../hub/shared/hub-health.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { versionText } from '../../hub/shared/hub-version.ts';
import { certificatesFolder } from '../../link/certificates/certificates.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { type Command, type CommandInput, textFlag, usageError } from '../command.ts';
import { hubFolderHere, hubHere, hubRoot } from '../hub-client/hub-location.ts';
import type { SkillSelection } from '../skill-flag.ts';
import { viewOfFlag } from '../view-flag.ts';

export const bridge: Command = {
	usage: 'mctl bridge [--view NAME | --skill NAME] [--orchestrator-addr HOST:PORT] [--certs-dir DIR]',
	examples: [
		'mctl bridge',
		'mctl bridge --view review',
		'mctl bridge --skill release-notes',
		'mctl bridge --orchestrator-addr localhost:9100 --certs-dir ~/.orchestra/certs',
		'claude mcp add orchestra -- mctl bridge',
	],
	flags: {
		'orchestrator-addr': { value: 'HOST:PORT', help: 'an orchestrator (default: the shared hub)' },
		view: { value: 'NAME', help: 'show the tools of this view' },
		skill: { value: 'NAME', help: 'show the tools of this skill, and its text first' },
		'certs-dir': { value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
	},
	isServer: true,
	isAwaited: true,

	async run(input) {
		const link = input.environment['ORCHESTRA_LINK'];
		const project = input.flags['orchestrator-addr'] === undefined ? projectOf(input) : undefined;
		const skill = await skillFor(input, project);
		await runBridge({
			findHub: project === undefined ? namedHub(input) : hubFinder(input, project),
			onRoots: project && ((uris) => moveTo(uris, project, input)),
			signal: input.signal,
			view: skill?.view ?? viewFor(input),
			preface: skill?.instructions,
			instructions: (client) =>
				joinedInstructions(skill?.instructions, ...(project ? instructionsFor(client, input, project) : [])),
			earlyTools: project && ((client) => earlyToolsFor(client, input, project)),
			kind: link === 'quic' || link === 'tls' ? link : 'auto',
			say: (line) => input.out.info(line),
			// Output that is never read would keep the process alive.
			onStuck: () => process.exit(0),
		});
	},
};

/** The folder whose hub the client gets. */
interface BridgeProject {
	folder(): string;
	/** Use the roots of the client. True when its hub is another one. */
	move(uris: readonly string[]): boolean;
}

/** The project that the client names counts; the working directory is that of the client's program, or the home folder. */
function projectOf({ cwd, environment }: CommandInput): BridgeProject {
	let folder = clientFolderOf(environment) ?? cwd;
	return {
		folder: () => folder,
		move(uris) {
			const before = folder;
			folder = rootFolder(uris, environment) ?? folder;
			return hubRoot(folder, environment) !== hubRoot(before, environment);
		},
	};
}

/** The hub of another project cannot notify the client any more of what is blocked there, so the log does. */
function moveTo(uris: readonly string[], project: BridgeProject, input: CommandInput): boolean {
	const isMoved = project.move(uris);
	const blocked = isMoved ? blockedHere(input, project) : undefined;
	if (blocked !== undefined) input.out.info(blocked);
	return isMoved;
}

/** The instructions of the hub itself for a client that cannot wait for it, from the same files. */
function instructionsFor(
	client: string,
	{ environment }: CommandInput,
	project: BridgeProject,
): (string | undefined)[] {
	// The folder may be gone.
	const loaded = attempt(() => loadConfiguration({ cwd: project.folder(), environment }));
	if (loaded === undefined) return [];
	const getsHandles = new ClientBudgets(() => loaded.configuration).getsHandles(client);
	return [trustInstructions(loaded.blocked), getsHandles ? lookGuide(LOOK) : undefined];
}

function blockedHere({ environment }: CommandInput, project: BridgeProject): string | undefined {
	return attempt(() => trustInstructions(loadConfiguration({ cwd: project.folder(), environment }).blocked));
}

/** The tools for a client that works with its first list: the hub may be too late for it. */
async function earlyToolsFor(
	client: string,
	{ environment }: CommandInput,
	project: BridgeProject,
): Promise<readonly Tool[] | undefined> {
	const { earlyTools } = await import('../../hub/expose/early-tools.ts');
	return earlyTools(loadConfiguration({ cwd: project.folder(), environment }).configuration, client);
}

/** Ask the shared hub for the skills, and start it for that: what its servers need is started once. */
async function skillFor(
	input: CommandInput,
	project: BridgeProject | undefined,
): Promise<SkillSelection | undefined> {
	if (input.flags['skill'] === undefined) return undefined;
	if (project === undefined)
		throw usageError(bridge, '--skill is one of the shared hub: it cannot be given with --orchestrator-addr');
	const here = { ...input, cwd: project.folder() };
	await hubHere(here, { certsDir: existingFolder(input.flags['certs-dir']), replacesOlder: true });
	return (await import('../skill-flag.ts')).skillOfFlag(here, bridge);
}

/** Only the shared hub has the configuration of this folder. */
function viewFor(input: CommandInput): string | undefined {
	if (input.flags['orchestrator-addr'] === undefined) return viewOfFlag(input, bridge);
	return textFlag(input, 'view');
}

/** The orchestrator of `--orchestrator-addr`. */
function namedHub({ flags, environment }: CommandInput): FindHub {
	const { 'orchestrator-addr': address } = flags;
	const certsDir = existingFolder(flags['certs-dir']);
	if (address === '') throw usageError(bridge, '--orchestrator-addr is empty; it takes HOST:PORT');
	const startedBy = environment[STARTED_BY];
	return () => Promise.resolve({ address: String(address), certsDir, startedBy });
}

/** The shared hub of the project, which is started when it does not run. */
function hubFinder(input: CommandInput, project: BridgeProject): FindHub {
	const certsDir = existingFolder(input.flags['certs-dir']);
	const startedBy = input.environment[STARTED_BY];
	const reported = new Set<number>();
	return async () => {
		const cwd = project.folder();
		refuseSelf(input.environment, hubFolderHere({ ...input, cwd }).root);
		const record = await hubHere({ ...input, cwd }, { certsDir, replacesOlder: true });
		const text = reported.has(record.pid) ? undefined : versionText(record, packageVersion());
		if (text !== undefined) input.out.info(`transport.stdio: ${text}`);
		reported.add(record.pid);
		return { ...sharedHub(record, input, cwd), startedBy, isCurrent: () => project.folder() === cwd };
	};
}

function sharedHub(record: HubRecord, { environment }: CommandInput, cwd: string): HubEndpoint {
	const { address, certsDir, features, unset = [] } = record;
	const values = unset.flatMap((name): [string, string][] => {
		const value = environment[name];
		return value === undefined ? [] : [[name, value]];
	});
	return {
		address,
		certsDir,
		features,
		// Also when we have none: the hub then names us in its error.
		variables: unset.length > 0 ? Object.fromEntries(values) : undefined,
		diagnose: (silentMs) => diagnose(environment, cwd, silentMs),
	};
}

function diagnose(
	environment: Readonly<NodeJS.ProcessEnv>,
	cwd: string,
	silentMs: number,
): OrchestraError | undefined {
	// Without a folder nothing can be seen from here.
	return attempt(() => diagnoseBlockedHub(hubFolderHere({ cwd, environment }), silentMs));
}

/** A given folder must exist: no peer would trust certificates of a new one. */
function existingFolder(folder: string | boolean | undefined): string | undefined {
	if (typeof folder !== 'string') return undefined;
	const path = certificatesFolder(folder);
	const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	if (!isFolder)
		throw usageError(bridge, `--certs-dir ${folder === '' ? 'is empty' : `${folder} is not a folder`}`);
	return folder;
}
