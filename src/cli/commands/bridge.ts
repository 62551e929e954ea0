/* `mctl bridge`: what an agent starts to reach a hub. */
import { statSync } from 'node:fs';
import type { FindHub, HubEndpoint } from '../../bridge/hub-endpoint.ts';
import { runBridge } from '../../bridge/run-bridge.ts';
import { loadConfiguration } from '../../config/load.ts';
import type { OrchestraError } from '../../errors.ts';
import { trustInstructions } from '../../hub/project-trust.ts';
import { diagnoseBlockedHub } from '../../hub/shared/hub-health.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { certificatesFolder } from '../../link/certificates/certificates.ts';
import { chosenView } from '../chosen-view.ts';
import { type Command, type CommandInput, refuseWords, usageError } from '../command.ts';
import { hubFolderHere, hubHere } from '../hub-location.ts';

export const bridge: Command = {
	usage: 'mctl bridge [--view NAME] [--orchestrator-addr HOST:PORT] [--certs-dir DIR]',
	examples: [
		'mctl bridge',
		'mctl bridge --view review',
		'mctl bridge --orchestrator-addr localhost:9100 --certs-dir ~/.orchestra/certs',
		'claude mcp add orchestra -- mctl bridge',
	],
	flags: {
		'orchestrator-addr': {
			type: 'string',
			value: 'HOST:PORT',
			help: 'an orchestrator (default: the shared hub)',
		},
		view: { type: 'string', value: 'NAME', help: 'show the tools of this view' },
		'certs-dir': { type: 'string', value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
	},
	isServer: true,

	async run(input) {
		refuseWords(input, bridge);
		const link = input.environment['ORCHESTRA_LINK'];
		await runBridge({
			findHub: hubFinder(input),
			signal: input.signal,
			view: viewFor(input),
			instructions: () => instructionsFor(input),
			kind: link === 'quic' || link === 'tls' ? link : 'auto',
			say: (line) => input.out.note(line),
			// Output that is never read would keep the process alive.
			onStuck: () => process.exit(0),
		});
	},
};

/** For the time before the hub answers: it reads the same files. */
function instructionsFor({ flags, environment }: CommandInput): string | undefined {
	if (flags['orchestrator-addr'] !== undefined) return undefined;
	try {
		return trustInstructions(loadConfiguration({ cwd: process.cwd(), environment }).heldBack);
	} catch {
		return undefined; // the folder is gone
	}
}

/** Only the shared hub has the configuration of this folder. */
function viewFor(input: CommandInput): string | undefined {
	const { view, 'orchestrator-addr': address } = input.flags;
	if (address === undefined) return chosenView(input, bridge);
	return typeof view === 'string' ? view : undefined;
}

/** The orchestrator that was named, or the shared hub of this folder, which is started when it does not run. */
function hubFinder(input: CommandInput): FindHub {
	const { 'orchestrator-addr': address } = input.flags;
	const certsDir = existingFolder(input.flags['certs-dir']);
	if (address === '') throw usageError(bridge, '--orchestrator-addr is empty; it takes HOST:PORT');
	if (typeof address === 'string') return () => Promise.resolve({ address, certsDir });
	return async () => sharedHub(await hubHere(input, { certsDir }), input);
}

function sharedHub(record: HubRecord, { environment }: CommandInput): HubEndpoint {
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
		diagnose: () => diagnose(environment),
	};
}

function diagnose(environment: Readonly<NodeJS.ProcessEnv>): OrchestraError | undefined {
	try {
		return diagnoseBlockedHub(hubFolderHere(environment));
	} catch {
		return undefined; // nothing can be seen from here
	}
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
