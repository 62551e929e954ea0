/* `mctl fabric setup`: makes the bucket on the servers, once. */
import { type Command, jsonFlag } from '../command.ts';
import { fabricSettings } from './fabric-settings.ts';

export const fabricSetup: Command = {
	usage: 'mctl fabric setup [--json]',
	examples: ['mctl fabric setup'],
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, cwd, environment, signal, out } = input;
		const { setUpFabric } = await import('../../fabric/administration/fabric-report.ts');
		const made = await setUpFabric(fabricSettings({ cwd, environment }), environment, signal);
		if (flags['json']) return out.json({ schema: 'orchestra.fabric-setup/1', ...made });
		const copies = made.replicas === 1 ? 'one replica' : `${made.replicas} replicas`;
		out.line(`The fabric is ready on ${made.server}, with ${copies}.`);
	},
};
