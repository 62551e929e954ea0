/* `mctl fabric revoke`: the key of a member is valid no more. */
import { type Command, jsonFlag } from '../command.ts';

/** How a change of the members reaches the servers. */
export const RELOAD_STEPS =
	'Print the configuration again (mctl fabric config, with the flags that you used), copy it to every server, and reload each: nats-server --signal reload';

export const fabricRevoke: Command = {
	usage: 'mctl fabric revoke <name> [--json]',
	examples: ['mctl fabric revoke gpu-1'],
	flags: { json: jsonFlag },
	args: [1, 1, 'one name'],

	async run({ args, flags, environment, out }) {
		const [name = ''] = args;
		const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
		MemberKeys.ofUser(environment).revoke(name);
		if (flags['json']) return out.json({ schema: 'orchestra.fabric-revoke/1', name, next: RELOAD_STEPS });
		out.line(`${name} is no member any more. Until the servers know it, its key still works:`);
		out.line(`  ${RELOAD_STEPS}`);
		out.line('They then end its connection at once.');
	},
};
