/* An entry of `plugins`. The format is the same in every file. */
import { registerArgs } from '../../secrets/secret-name.ts';
import type { PluginEntry } from '../configuration.ts';
import { flag, key, mapped, object, type Shape, secretMap, strings, text } from '../key.ts';
import { childLimits, pluginSandbox } from './confinement.ts';
import { isEntryEnabled } from './server-entry.ts';

/** One with a slash is a path; another one is looked up on PATH. */
const binary: Shape<string> = {
	...text,
	read: (field) => (String(field.value).includes('/') ? field.path() : field.text()),
};

export const pluginKeys = {
	id: key(text, 'its name', { required: 'a non-empty string' }),
	binary: key(binary, 'the program; one without a slash is looked up on PATH', {
		required: 'a non-empty string',
	}),
	args: key(strings, 'its arguments', { empty: [], isSecret: true }),
	env: key(secretMap, 'its environment variables; may have secret references', { isSecret: true }),
	config: key(secretMap, 'settings that it receives when it boots; may have secret references', {
		isSecret: true,
	}),
	sandbox: key(pluginSandbox, 'what it may reach ([sandbox](sandbox.md)); needs `"network": true`'),
	limits: key(childLimits, 'what it may use ([limits](sandbox.md#limits))'),
	enabled: key(flag, '`false` leaves it out', { byDefault: true }),
	disabled: key(flag, 'leave it out', { byDefault: false }),
	provides_storage: key(strings, 'kinds of storage that it has', { empty: [] }),
	provides_ai: key(strings, 'AI providers that it has', { empty: [] }),
	depends_on: key(strings, 'ids of the plugins that start before it', { empty: [] }),
};

/** Undefined when it has a problem. */
export const plugin: Shape<PluginEntry> = mapped(object(pluginKeys, true), (values, _, { source }) => {
	const { id, binary, args, env, config, sandbox, limits } = values;
	registerArgs(binary, args);
	return {
		id,
		binary,
		args,
		env: env?.plain ?? {},
		config: config?.plain ?? {},
		secretEnv: env?.secrets,
		secretConfig: config?.secrets,
		sandbox,
		limits,
		isEnabled: isEntryEnabled(values),
		providesStorage: values.provides_storage,
		providesAi: values.provides_ai,
		dependsOn: values.depends_on,
		file: source.file,
	};
});
