/* The setting `fabric` of the working directory, for the commands about it. */
import type { FabricSection } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { heldBackText, trustHint } from '../../config/trust/held-back.ts';
import { OrchestraError } from '../../errors.ts';
import type { CommandPlace } from '../command.ts';

/** Throws `bad_input` when the configuration has none, or has it in a project file that is not trusted. */
export function fabricSettings({ cwd, environment }: CommandPlace): FabricSection {
	const { configuration, problems, heldBack } = loadConfiguration({ cwd, environment });
	if (configuration.fabric) return configuration.fabric;
	const held = heldBack.find(({ effects }) => effects.some(({ name }) => name.startsWith('fabric.')));
	if (held) throw new OrchestraError('bad_input', heldBackText(held), { hint: trustHint(held) });
	const problem = problems.find(({ key }) => key.startsWith('fabric'));
	throw new OrchestraError('bad_input', problem?.message ?? 'the configuration here has no fabric', {
		hint: 'Add "fabric": { "servers": ["tls://host:4222"], "name": "my-hub" } to orchestra.json.',
	});
}
