/* The section `fabric`: hubs on other machines, over NATS. */
import type { FabricSection } from './configuration.ts';
import { type Field, onlyKeys } from './field.ts';
import { readPin } from './server-settings.ts';

const fabricNames = ['servers', 'name', 'group', 'credentials', 'ca', 'offer', 'use', 'pin'];
const LONGEST_NAME = 64;

/** Read `fabric`; undefined when it is absent, or has a problem. */
export function readFabric(field: Field, file: string): FabricSection | undefined {
	if (!field.isPresent) return undefined;
	onlyKeys(field, fabricNames);
	const servers = field.at('servers').texts() ?? [];
	if (servers.length === 0) return field.at('servers').report('an array with the address of a NATS server');
	const name = readName(field.at('name'));
	if (!field.at('name').isPresent) return field.at('name').report('the name of this hub in the fabric');
	if (name === undefined) return undefined;
	const credentials = field.at('credentials');
	return {
		servers,
		name,
		group: readName(field.at('group')) ?? name,
		credentials: credentials.secretText() ?? credentials.text(),
		ca: field.at('ca').path(),
		offer: field.at('offer').texts(),
		use: field.at('use').texts(),
		pin: readPin(field.at('pin')),
		file,
	};
}

/** A name is a part of the names of tools, so agents must accept it. */
function readName(field: Field): string | undefined {
	const text = field.text();
	if (text === undefined) return undefined;
	const isName = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text) && text.length <= LONGEST_NAME;
	return isName && !text.includes('__') ? text : field.report('letters, digits, - and single _');
}
