/* The section `fabric`: hubs on other machines, over NATS. */
import type { FabricSection } from './configuration.ts';
import type { Field } from './field.ts';
import {
	type Keys,
	key,
	object,
	type Place,
	path,
	readKeys,
	type Shape,
	schemaOf,
	text,
	texts,
	type Written,
} from './key.ts';
import { pinMode } from './pin-mode.ts';

const LONGEST_NAME = 64;

/** A name is a part of the names of tools, so agents must accept it. */
const memberName: Shape<string> = {
	read: (field) => {
		const name = field.text();
		if (name === undefined) return undefined;
		const isName = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && name.length <= LONGEST_NAME;
		return isName && !name.includes('__') ? name : field.report('letters, digits, - and single _');
	},
	schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: LONGEST_NAME },
};

const credentials: Shape<NonNullable<FabricSection['credentials']>> = {
	...text,
	read: (field) => field.secretText() ?? field.text(),
};

const fabricKeys: Keys<Written<Omit<FabricSection, 'file'>>> = {
	servers: key(texts, { about: 'addresses of the NATS servers, `tls://host:port`', empty: [] }),
	name: key(memberName, { about: 'the name of this hub' }),
	group: key(memberName, { about: 'the name of what it offers; equal workers share one. Default: `name`' }),
	credentials: key(credentials, {
		about: 'an nkey seed or the content of a `.creds` file, best as a [secret reference](secrets.md)',
		isSecret: true,
	}),
	ca: key(path, { about: 'file of the certificate authority of the servers' }),
	offer: key(texts, { about: 'patterns of the tools that other hubs may call; default: none' }),
	use: key(texts, { about: 'patterns of the tools of other hubs, as `group__tool`; default: all' }),
	pin: key(pinMode, { about: 'as `pin` of all servers, for the tools of other hubs' }),
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
	const { servers = [], name, group = name, credentials: secret, ca, offer, use, pin } = values;
	if (servers.length === 0) return field.at('servers').report('an array with the address of a NATS server');
	if (!field.at('name').isPresent) return field.at('name').report('the name of this hub in the fabric');
	if (name === undefined || group === undefined) return undefined;
	return { servers, name, group, credentials: secret, ca, offer, use, pin, file: place.source.file };
}
