/* `mctl fabric setup`: makes the bucket on the servers, once. */
import { type Command, refuseWords } from '../command.ts';
import { fabricSettings } from '../fabric-settings.ts';

export const fabricSetup: Command = {
	usage: 'mctl fabric setup',
	examples: ['mctl fabric setup'],
	flags: {},

	async run(input) {
		refuseWords(input, fabricSetup);
		const settings = fabricSettings(input.environment);
		const { setUpFabric } = await import('../../fabric/fabric-report.ts');
		const server = await setUpFabric(settings, input.environment);
		input.out.line(`The fabric is ready on ${server}.`);
	},
};
