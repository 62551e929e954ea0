/* `mctl hub run`: the shared hub in the foreground. `mctl hub start` runs this in the background. */
import { RotatingFile } from '../../files/rotating-file.ts';
import { type RunHubOptions, runHub } from '../../hub/shared/run-hub.ts';
import { HUB_GRACE_MS } from '../../hub/shared/shared-limits.ts';
import { Log } from '../../log.ts';
import { HUB_LOG_BYTES } from '../cli-limits.ts';
import { type Command, textFlag } from '../command.ts';
import { hubWorker, openFabric } from '../hub-client/fabric-openers.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { httpAddressOf, httpArgs, httpFlag } from './http-flag.ts';

export const hubRun: Command = {
	usage: 'mctl hub run [--http [ADDR]] [--certs-dir DIR]',
	examples: ['mctl hub run', 'LOG_LEVEL=debug mctl hub run'],
	flags: {
		http: httpFlag,
		'certs-dir': { value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
	},
	args: httpArgs,

	isServer: true,
	isAwaited: true,
	graceMs: HUB_GRACE_MS,

	async run(input) {
		const { cwd, environment, signal, out } = input;
		const folder = hubFolderHere({ cwd, environment });
		const certsDir = textFlag(input, 'certs-dir');
		const httpAddress = httpAddressOf(input, hubRun);
		const options = { folder, cwd: folder.root, environment, certsDir, httpAddress, openHttp, signal };
		const fabric = { openFabric, openWorker: hubWorker(environment) };
		if (out.hasLiveStderr) await runHub({ ...options, ...fabric, log: out.log('hub', environment) });
		else await runWithLogFile({ ...options, ...fabric });
	},
};

/** Loaded when the hub has an HTTP listener. */
const openHttp: RunHubOptions['openHttp'] = async (deps) => {
	const { openDashboard } = await import('../../dashboard/open-dashboard.ts');
	return openDashboard(deps);
};

/** Run a hub in the background: its log goes to its own file, begun anew when it is large. */
async function runWithLogFile(options: Omit<RunHubOptions, 'log'>): Promise<void> {
	const file = new RotatingFile(options.folder.logFile, HUB_LOG_BYTES, () => {});
	const log = Log.fromEnvironment('hub', options.environment, (line) => file.write(line));
	try {
		await runHub({ ...options, log });
	} finally {
		await file.close();
	}
}
