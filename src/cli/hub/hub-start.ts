/* `mctl hub start`: the shared hub in the background. */
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import type { Command } from '../command.ts';
import { controlHub } from '../hub-client/control-hub.ts';
import { hubFolderHere, hubHere } from '../hub-client/hub-location.ts';
import { httpAddressOf, httpFlag } from './http-flag.ts';

export const hubStart: Command = {
	usage: 'mctl hub start [--http [ADDR]] [--certs-dir DIR] [--json]',
	examples: ['mctl hub start', 'mctl hub start --http', 'mctl hub start --json | jq -r .address'],
	flags: {
		http: httpFlag,
		'certs-dir': { type: 'string', value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const wasRunning = hubFolderHere({ cwd, environment }).running() !== undefined;
		const certsDir = typeof flags['certs-dir'] === 'string' ? flags['certs-dir'] : undefined;
		const httpAddress = httpAddressOf(input, hubStart);
		const record = await hubHere(input, { certsDir, httpAddress });
		const { pid, address, networkAddress, root } = record;
		const httpUrl = await httpUrlOf(record, httpAddress, input.signal);
		if (flags['json'])
			return out.json({
				schema: 'orchestra.hub-start/1',
				pid,
				address,
				networkAddress,
				httpUrl,
				root,
				wasRunning,
			});
		out.line(
			`${wasRunning ? 'The hub was running already' : 'The hub is running'}: pid ${pid}, ${[address, networkAddress, httpUrl].filter(Boolean).join(' and ')}, for ${root}`,
		);
	},
};

/** A hub that runs without HTTP opens it now. */
async function httpUrlOf(
	record: HubRecord,
	address: string | undefined,
	signal: AbortSignal,
): Promise<string | undefined> {
	if (address === undefined || record.httpUrl !== undefined) return record.httpUrl;
	const { url } = await controlHub(record, { action: 'http', address }, signal);
	return typeof url === 'string' ? url : undefined;
}
