/* `mctl fabric rotate`: a new key for a member, without a pause. */
import { type Command, jsonFlag } from '../command.ts';
import { RELOAD_STEPS } from './fabric-revoke.ts';

export const fabricRotate: Command = {
	usage: 'mctl fabric rotate <name> [--finish] [--json]',
	examples: ['mctl fabric rotate gpu-1', 'mctl fabric rotate gpu-1 --finish'],
	flags: {
		finish: { help: 'the member has its new key: the old one is valid no more' },
		json: jsonFlag,
	},
	args: [1, 1, 'one name'],

	async run({ args, flags, environment, out }) {
		const [name = ''] = args;
		const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
		const keys = MemberKeys.ofUser(environment);
		const isFinished = flags['finish'] === true;
		if (isFinished) keys.finishRotation(name);
		else await keys.rotate(name);
		const seedFile = keys.seedFile(name);
		if (flags['json']) return out.json({ schema: 'orchestra.fabric-rotate/1', name, seedFile, isFinished });
		if (isFinished) {
			out.line(`The old key of ${name} ends when the servers know it:\n  ${RELOAD_STEPS}`);
			out.line(`${name} then connects again with the new one; its running calls go on.`);
			return;
		}
		out.line(`${name} has a new key; both are valid until you finish the rotation.`);
		out.line(`1. ${RELOAD_STEPS}`);
		out.line(`2. Copy ${seedFile} to ~/.orchestra/fabric.nk of ${name}. It needs no restart.`);
		out.line(`3. mctl fabric rotate ${name} --finish`);
	},
};
