/* An entry of `plugins`. The format is the same in every file. */
import type { ChildLimits } from '../../process/sandbox/child-limits.ts';
import type { Sandbox } from '../../process/sandbox/sandbox.ts';
import { registerArgs } from '../../secrets/secret-name.ts';
import type { PluginEntry } from '../configuration.ts';
import type { Field, SecretMap } from '../field.ts';
import { flag, type Keys, key, type Place, readKey, type Shape, schemaOf, strings, text } from '../key.ts';
import { childLimits, pluginSandbox } from './confinement.ts';
import { isEntryEnabled, secretMap } from './server-entry.ts';

/** An entry as it is written in a file. */
interface WrittenPlugin {
	readonly id?: string;
	readonly binary?: string;
	readonly args?: readonly string[];
	readonly env?: SecretMap;
	readonly config?: SecretMap;
	readonly sandbox?: Sandbox;
	readonly limits?: ChildLimits;
	readonly enabled?: boolean;
	readonly disabled?: boolean;
	readonly provides_storage?: readonly string[];
	readonly provides_ai?: readonly string[];
	readonly depends_on?: readonly string[];
}

/** One with a slash is a path; another one is looked up on PATH. */
const binary: Shape<string> = {
	...text,
	read: (field) => (String(field.value).includes('/') ? field.path() : field.text()),
};

export const pluginKeys: Keys<WrittenPlugin> = {
	id: key(text, { about: 'its name' }),
	binary: key(binary, { about: 'the program; one without a slash is looked up on PATH' }),
	args: key(strings, { about: 'its arguments', empty: [], isSecret: true }),
	env: key(secretMap, { about: 'its environment variables; may have secret references', isSecret: true }),
	config: key(secretMap, {
		about: 'settings that it receives when it boots; may have secret references',
		isSecret: true,
	}),
	sandbox: key(pluginSandbox, {
		about: 'what it may reach ([sandbox](sandbox.md)); needs `"network": true`',
	}),
	limits: key(childLimits, { about: 'what it may use ([limits](sandbox.md#limits))' }),
	enabled: key(flag, { about: '`false` leaves it out', byDefault: true }),
	disabled: key(flag, { about: 'leave it out', byDefault: false }),
	provides_storage: key(strings, { about: 'kinds of storage that it has', empty: [] }),
	provides_ai: key(strings, { about: 'AI providers that it has', empty: [] }),
	depends_on: key(strings, { about: 'ids of the plugins that start before it', empty: [] }),
};

export const plugin: Shape<PluginEntry> = {
	read: readPlugin,
	members: pluginKeys,
	schema: { ...schemaOf(pluginKeys, true), required: ['id', 'binary'] },
};

/** Undefined when it has a problem. */
export function readPlugin(field: Field, place: Place): PluginEntry | undefined {
	const read = <K extends keyof WrittenPlugin>(name: K): NonNullable<WrittenPlugin[K]> | undefined =>
		readKey(pluginKeys, name, field, place);
	for (const required of [field.at('id'), field.at('binary')]) {
		if (!required.isPresent) return required.report('a non-empty string');
	}
	const [id, program] = [read('id'), read('binary')];
	if (id === undefined || program === undefined) return undefined;
	const args = read('args') ?? [];
	registerArgs(program, args);
	const [env, config] = [read('env'), read('config')];
	return {
		id,
		binary: program,
		args,
		env: env?.plain ?? {},
		config: config?.plain ?? {},
		secretEnv: env?.secrets,
		secretConfig: config?.secrets,
		sandbox: read('sandbox'),
		limits: read('limits'),
		isEnabled: isEntryEnabled(field),
		providesStorage: read('provides_storage') ?? [],
		providesAi: read('provides_ai') ?? [],
		dependsOn: read('depends_on') ?? [],
		file: place.source.file,
	};
}
