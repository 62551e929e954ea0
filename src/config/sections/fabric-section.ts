/* The section `fabric`: hubs on other machines, over NATS. */

import { FABRIC_NAME_CHARACTERS } from '../config-limits.ts';
import type { FabricSection } from '../configuration.ts';
import {
	address,
	checked,
	count,
	key,
	listOf,
	mapOf,
	mapped,
	object,
	oneOrMore,
	path,
	type Shape,
	secret,
	strings,
	text,
} from '../key.ts';
import { pinMode } from '../pin-mode.ts';

/** Most labels of a worker or a rule. */
const LABELS = 32;

/** A name is a part of the names of tools, so agents must accept it. */
const memberName: Shape<string> = {
	...checked(text, isMemberName, 'letters, digits, - and single _'),
	schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: FABRIC_NAME_CHARACTERS },
};

/** Whether a hub, a worker or a group may be called so. */
export function isMemberName(name: string): boolean {
	return (
		/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && name.length <= FABRIC_NAME_CHARACTERS && !name.includes('__')
	);
}

const LABEL = /^[A-Za-z0-9][\w.-]{0,62}(?:=[\w.-]{1,63})?$/;

/** `gpu` or `zone=a`, one or several. */
const labels = checked(
	oneOrMore(),
	(given) => given.length <= LABELS && given.every((label) => LABEL.test(label)),
	`at most ${LABELS} labels such as "gpu" or "zone=a"`,
);

export const fabricRuleKeys = {
	tools: key(strings, 'patterns of tools, as `group__tool`', { empty: [], required: 'patterns of tools' }),
	require: key(labels, 'labels that a worker needs, `"gpu"` or `["gpu", "zone=a"]`', { empty: [] }),
	prefer: key(labels, 'labels of the workers that are chosen first', { empty: [] }),
};

export const fabricLimitKeys = {
	calls: key(count, 'calls of all hubs that run at once; default 1024'),
	perHub: key(count, 'calls of one hub that run at once; default: no limit of its own'),
	perTool: key(
		mapOf(count),
		'runs of one tool at once, by a pattern of its name, for example `{"render__*": 2}`',
	),
};

const SERVERS = 'an array with the address of a NATS server';

export const fabricKeys = {
	servers: key(
		checked(strings, ({ length }) => length > 0, SERVERS),
		'addresses of the NATS servers, `tls://host:port`',
		{ required: SERVERS },
	),
	name: key(memberName, 'the name of this hub', { required: 'the name of this hub in the fabric' }),
	group: key(memberName, 'the name of its tools for other hubs; equal workers share one. Default: `name`'),
	credentials: key(
		secret,
		'an nkey seed or the content of a `.creds` file, best as a [secret reference](secrets.md)',
		{ isSecret: true },
	),
	ca: key(path, 'file of the certificate authority of the servers'),
	offer: key(strings, 'patterns of the tools that other hubs may call; default: none'),
	use: key(strings, 'patterns of the tools of other hubs, as `group__tool`; default: all'),
	pin: key(pinMode, 'as `pin` of all servers, for the tools of other hubs'),
	labels: key(labels, 'what hubs may choose this worker by, for example `["gpu", "zone=a"]`', { empty: [] }),
	rules: key(
		listOf(object(fabricRuleKeys)),
		'which workers may run the calls of this hub; the first rule that matches a tool counts',
		{ empty: [] },
	),
	limits: key(
		object(fabricLimitKeys),
		'calls of other hubs that this one runs at once; above a limit they are refused',
		{ empty: {} },
	),
	httpAddr: key(
		address,
		'`host:port` for `/healthz`, `/readyz` and `/metrics` of `mctl worker`; default: none',
	),
};

/** Undefined when it is absent, or has a problem. */
export const fabric: Shape<FabricSection> = mapped(object(fabricKeys), (values, _, { source }) => ({
	...values,
	group: values.group ?? values.name,
	file: source.file,
}));
