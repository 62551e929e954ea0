/* The setting `fabric` of the working directory, for the commands about it. */
import type { FabricSection } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import { OrchestraError } from '../errors.ts';

/** Throws `bad_input` when the configuration has none. */
export function fabricSettings(environment: Readonly<NodeJS.ProcessEnv>): FabricSection {
	const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
	if (configuration.fabric) return configuration.fabric;
	const problem = problems.find(({ key }) => key.startsWith('fabric'));
	throw new OrchestraError('bad_input', problem?.message ?? 'the configuration here has no fabric', {
		hint: 'Add "fabric": { "servers": ["tls://host:4222"], "name": "my-hub" } to orchestra.json.',
	});
}
