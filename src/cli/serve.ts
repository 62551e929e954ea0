/* `mctl serve`: an embedded hub, MCP on stdin and stdout, no port and no other process. */
import { existsSync } from 'node:fs';
import { openHub } from '../hub/open-hub.ts';
import { Log } from '../log.ts';
import { serveProvider } from '../mcp/serve.ts';
import { type Command, usageError } from './command.ts';
import { packageVersion } from './version.ts';

/** How long after the start backends begin what takes time, so that the first answer does not wait for it. */
const WARM_AFTER_MS = 100;

export const serve: Command = {
	usage: 'mctl serve [--config FILE]',
	summary: 'Serve everything here to one agent: MCP on stdin and stdout',
	examples: [
		'mctl serve',
		'echo \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\' | mctl serve',
		'claude mcp add orchestra -- mctl serve',
	],
	flags: { config: { type: 'string', value: 'FILE', help: 'use this configuration file and no other' } },
	ownsSignals: true,

	async run({ words, flags, environment }) {
		if (words.length > 0) throw usageError(serve, 'mctl serve takes no words');
		const file = typeof flags['config'] === 'string' ? flags['config'] : undefined;
		if (file !== undefined && !existsSync(file))
			throw usageError(serve, `there is no configuration file ${file}`);
		const log = Log.fromEnvironment('orchestra', environment);
		log.info(`Starting orchestra v${packageVersion()}`);
		const opened = await openHub({
			cwd: process.cwd(),
			environment,
			file,
			log,
		});
		const warming = setTimeout(() => {
			opened.hub.warm();
			void opened.hub.ready().then(() => log.info('orchestra started successfully'));
		}, WARM_AFTER_MS);
		const { messageBytes: limitBytes } = opened.configuration().limits;
		try {
			await serveProvider(opened.hub, { log, limitBytes });
		} finally {
			clearTimeout(warming);
			await opened.close();
		}
	},
};
