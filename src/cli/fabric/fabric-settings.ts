/* The setting `fabric` of the working directory, for the commands about it. */
import type { FabricSection } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { blockedText, trustHint } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import type { CommandPlace } from '../command.ts';

/** Throws `bad_input` when the configuration has none, or has it in a project file that is not trusted. */
export function fabricSettings({ cwd, environment }: CommandPlace): FabricSection {
	const { configuration, problems, blocked } = loadConfiguration({ cwd, environment });
	if (configuration.fabric) return configuration.fabric;
	const file = blocked.find(({ effects }) => effects.some(({ name }) => name.startsWith('fabric.')));
	if (file) throw new OrchestraError('bad_input', blockedText(file), { hint: trustHint(file) });
	const problem = problems.find(({ key }) => key.startsWith('fabric'));
	throw new OrchestraError('bad_input', problem?.message ?? 'the configuration here has no fabric', {
		hint: 'Add "fabric": { "servers": ["tls://host:4222"], "name": "my-hub" } to orchestra.json.',
	});
}
