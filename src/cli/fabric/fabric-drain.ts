/* `mctl fabric drain`: a worker finishes its calls and gets no more, for example before an upgrade. */
import type { Command } from '../command.ts';
import { fabricSettings } from './fabric-settings.ts';

export const fabricDrain: Command = {
	usage: 'mctl fabric drain <worker> [--resume] [--json]',
	examples: ['mctl fabric drain gpu-1', 'mctl fabric drain gpu-1 --resume'],
	flags: {
		resume: { help: 'let it accept calls again' },
		json: { help: 'print one JSON object when it is done' },
	},
	args: [1, 1, 'the name of one worker'],

	async run({ args, flags, cwd, environment, signal, out }) {
		const [worker = ''] = args;
		const settings = fabricSettings({ cwd, environment });
		const { asAdministrator } = await import('../../fabric/administration/administrator-link.ts');
		const { orderWorker } = await import('../../fabric/administration/order-worker.ts');
		const order = flags['resume'] === true ? 'resume' : 'drain';
		const onAccepted = (running: number): void => {
			if (order === 'drain')
				out.info(`${worker} accepts no more calls; ${running} still run. Ctrl-C only ends the wait.`);
		};
		const result = await asAdministrator(settings, environment, (link) =>
			orderWorker(link, { worker, order, onAccepted, signal }),
		);
		if (flags['json']) return out.json({ schema: 'orchestra.fabric-drain/1', worker, order, result });
		out.line(`${worker}: ${result}`);
		if (order === 'drain') out.line(`Stop or upgrade it now, or: mctl fabric drain ${worker} --resume`);
	},
};
