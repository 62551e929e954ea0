/* The `sandbox` and `limits` of a server, a plugin or the tools. */
import { join } from 'node:path';
import type { Sandbox } from '../../process/sandbox/sandbox.ts';
import type { Field } from '../field.ts';
import { checked, count, flag, key, listOf, object, type Place, path, type Shape, schemaOf } from '../key.ts';
import { LOCK_FILE, projectNames } from '../project-file.ts';

/** The limits of a child, of one entry and for all. They can only be stricter than the default, which is none. */
export const childLimitKeys = {
	memoryBytes: key(count, 'most memory of a child', { trust: 'counts' }),
	processes: key(count, 'most processes and threads of a child', { trust: 'counts' }),
	openFiles: key(count, 'most open files of a process of a child', { trust: 'counts' }),
};

export const childLimits = object(childLimitKeys);

/** Paths below the folder of the project. */
const paths = listOf({ ...path, read: (field, { root }) => field.path(root) });

const sandboxKeys = {
	write: key(paths, 'folders and files that it may change; default: the project'),
	read: key(paths, 'what it may read; `/` is everything except the dotfiles of the home folder'),
	network: key(flag, 'whether it has a network', { byDefault: false }),
};

/** Undefined for none. Relative paths are below the project folder. */
export const sandbox: Shape<Sandbox> = {
	members: sandboxKeys,
	read: readSandbox,
	schema: { anyOf: [{ type: 'boolean' }, schemaOf(sandboxKeys)] },
};

/** The sandbox of a plugin, which talks to the hub over the network of this machine. */
export const pluginSandbox: Shape<Sandbox> = checked(
	sandbox,
	({ network }) => network,
	'{ "network": true, … }: a plugin talks to the hub over the network of this machine',
);

function readSandbox(field: Field, place: Place): Sandbox | undefined {
	if (!field.isPresent || field.value === false) return undefined;
	const { root } = place;
	// A program in its sandbox must not be able to change the file that describes the sandbox.
	const protect = [...projectNames, LOCK_FILE].map((name) => join(root, name));
	const whole: Sandbox = { write: [root], read: ['/'], network: false, protect };
	if (field.value === true) return whole;
	const {
		write = whole.write,
		read = whole.read,
		network = false,
	} = object(sandboxKeys).read(field, place) ?? {};
	return { write, read, network, protect };
}
