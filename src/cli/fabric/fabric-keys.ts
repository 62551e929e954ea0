/* The keys of hubs and workers: `mctl fabric invite` makes one, `rotate` replaces it without a pause, `revoke` ends it. */
import { isMemberName } from '../../config/sections/fabric-section.ts';
import type { Member } from '../../fabric/administration/server-config.ts';
import { type Command, jsonFlag, usageError } from '../command.ts';

export const fabricInvite: Command = {
	usage: 'mctl fabric invite <name> [--offer [GROUP]] [--use GROUP]… [--json]',
	examples: [
		'mctl fabric invite laptop',
		'mctl fabric invite gpu-1 --offer=gpu',
		'mctl fabric invite ci --offer --use gpu',
	],
	flags: {
		offer: {
			value: 'GROUP',
			isValueOptional: true,
			help: 'it offers tools, under its own name or that of a group',
		},
		use: {
			value: 'GROUP',
			repeats: true,
			help: 'it may call this group only (default: all, or none with --offer)',
		},
		json: jsonFlag,
	},
	args: [1, 1, 'one name'],

	async run(input) {
		const { args, flags, lists, environment, out } = input;
		const [name = ''] = args;
		const offers =
			flags['offer'] === true ? name : typeof flags['offer'] === 'string' ? flags['offer'] : undefined;
		const uses = lists?.get('use');
		for (const each of [name, offers ?? name, ...(uses ?? []).filter((group) => group !== '*')])
			if (!isMemberName(each))
				throw usageError(fabricInvite, `"${each}" is not a name: letters, digits, - and single _`);
		if (name === 'admin') throw usageError(fabricInvite, '"admin" is the name of the administrator');
		const calls = uses ?? (offers === undefined ? ['*'] : []);
		const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
		const { userLines } = await import('../../fabric/administration/server-config.ts');
		const keys = MemberKeys.ofUser(environment);
		const member = await keys.add({ name, ...(offers !== undefined && { offers }), calls });
		const seedFile = keys.seedFile(name);
		const settings = settingsFor(member);
		const [user = ''] = userLines(member);
		if (flags['json'])
			return out.json({
				schema: 'orchestra.fabric-invite/1',
				name,
				key: member.key,
				user,
				seedFile,
				settings,
			});
		out.line(
			'Add this user to the configuration of the NATS server (mctl fabric config prints all of it), and reload it:',
		);
		out.line(`  ${user}`);
		out.line(
			`Copy ${seedFile} to ~/.orchestra/fabric.nk of ${name}, readable by its user only, and configure there:`,
		);
		const members = Object.entries(settings).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
		out.line(`  "fabric": { ${members.join(', ')} }`);
	},
};

/** The section of the configuration of a new member. */
function settingsFor({ name, offers, calls }: Member): object {
	const uses = calls.includes('*') ? undefined : calls.map((group) => `${group}__*`);
	return {
		servers: ['tls://HOST:4222'],
		name,
		...(offers !== undefined && offers !== name && { group: offers }),
		credentials: '${file:~/.orchestra/fabric.nk}',
		...(offers !== undefined && { offer: ['*'] }),
		...(uses !== undefined && { use: uses }),
	};
}

/** How a change of the members reaches the servers. */
const RELOAD_STEPS =
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
