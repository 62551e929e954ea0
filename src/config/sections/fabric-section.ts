/* The section `fabric`: hubs on other machines, over NATS. */

import { FABRIC_NAME_CHARACTERS } from '../config-limits.ts';
import type { FabricLimits, FabricRule, FabricSection } from '../configuration.ts';
import type { Field } from '../field.ts';
import {
	address,
	count,
	emptyOf,
	type Keys,
	key,
	mapOf,
	object,
	type Place,
	path,
	readKeys,
	type Shape,
	schemaOf,
	strings,
	text,
	type Written,
} from '../key.ts';
import { pinMode } from '../pin-mode.ts';

/** Most labels of a worker or a rule. */
const LABELS = 32;

/** A name is a part of the names of tools, so agents must accept it. */
const memberName: Shape<string> = {
	read: (field) => {
		const name = field.text();
		if (name === undefined) return undefined;
		return isMemberName(name) ? name : field.report('letters, digits, - and single _');
	},
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
const labels: Shape<readonly string[]> = {
	read: (field) => {
		const given = typeof field.value === 'string' ? [field.text() ?? ''] : field.strings();
		const isRight = given?.every((label) => LABEL.test(label)) !== false && (given?.length ?? 0) <= LABELS;
		return isRight ? given : field.report(`at most ${LABELS} labels such as "gpu" or "zone=a"`);
	},
	schema: { anyOf: [text.schema, strings.schema] },
};

const ruleKeys: Keys<FabricRule> = {
	tools: key(strings, { about: 'patterns of tools, as `group__tool`', empty: [] }),
	require: key(labels, { about: 'labels that a worker needs, `"gpu"` or `["gpu", "zone=a"]`', empty: [] }),
	prefer: key(labels, { about: 'labels of the workers that are chosen first', empty: [] }),
};

const rules: Shape<readonly FabricRule[]> = {
	members: ruleKeys,
	schema: { type: 'array', items: { ...schemaOf(ruleKeys), required: ['tools'] } },
	read: (field, place) =>
		field.isPresent ? field.items().map((item) => readKeys(ruleKeys, item, place)) : undefined,
};

const limitKeys: Keys<FabricLimits> = {
	calls: key(count, { about: 'calls of all hubs that run at once; default 1024' }),
	perHub: key(count, { about: 'calls of one hub that run at once; default: no limit of its own' }),
	perTool: key(mapOf(count), {
		about: 'runs of one tool at once, by a pattern of its name, for example `{"render__*": 2}`',
	}),
};

const credentials: Shape<NonNullable<FabricSection['credentials']>> = {
	...text,
	read: (field) => field.secretText() ?? field.text(),
};

const fabricKeys: Keys<Written<Omit<FabricSection, 'file'>>> = {
	servers: key(strings, { about: 'addresses of the NATS servers, `tls://host:port`', empty: [] }),
	name: key(memberName, { about: 'the name of this hub' }),
	group: key(memberName, { about: 'the name of what it offers; equal workers share one. Default: `name`' }),
	credentials: key(credentials, {
		about: 'an nkey seed or the content of a `.creds` file, best as a [secret reference](secrets.md)',
		isSecret: true,
	}),
	ca: key(path, { about: 'file of the certificate authority of the servers' }),
	offer: key(strings, { about: 'patterns of the tools that other hubs may call; default: none' }),
	use: key(strings, { about: 'patterns of the tools of other hubs, as `group__tool`; default: all' }),
	pin: key(pinMode, { about: 'as `pin` of all servers, for the tools of other hubs' }),
	labels: key(labels, {
		about: 'what hubs may choose this worker by, for example `["gpu", "zone=a"]`',
		empty: [],
	}),
	rules: key(rules, {
		about: 'which workers may run the calls of this hub; the first rule that matches a tool counts',
		empty: [],
	}),
	limits: key(object(limitKeys), {
		about: 'calls of other hubs that this one runs at once; above a limit they are refused',
		empty: emptyOf(limitKeys),
	}),
	httpAddr: key(address, {
		about: '`host:port` for `/healthz`, `/readyz` and `/metrics` of `mctl worker`; default: none',
	}),
};

/** Undefined when it is absent, or has a problem. */
export const fabric: Shape<FabricSection> = {
	...object(fabricKeys),
	read: readFabric,
	schema: { ...schemaOf(fabricKeys), required: ['servers', 'name'] },
};

function readFabric(field: Field, place: Place): FabricSection | undefined {
	if (!field.isPresent) return undefined;
	const values = readKeys(fabricKeys, field, place);
	const { servers = [], name, group = name, credentials: secret } = values;
	if (servers.length === 0) return field.at('servers').report('an array with the address of a NATS server');
	if (!field.at('name').isPresent) return field.at('name').report('the name of this hub in the fabric');
	if (name === undefined || group === undefined) return undefined;
	const { ca, offer, use, pin, httpAddr } = values;
	const given = { labels: values.labels ?? [], rules: values.rules ?? [], limits: values.limits ?? {} };
	return {
		servers,
		name,
		group,
		credentials: secret,
		ca,
		offer,
		use,
		pin,
		httpAddr,
		...given,
		file: place.source.file,
	};
}
