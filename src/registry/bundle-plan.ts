/*
 * From the manifest of a bundle to a server of the configuration.
 *
 * `${__dirname}`, the folders of the user and `${user_config.KEY}` are replaced. An argument
 * or variable whose value is not given is left out, and any other `${…}` is refused: the
 * configuration would read it as a variable of the environment or as the name of a secret.
 */
import { isAbsolute, join } from 'node:path';
import { OrchestraError } from '../errors.ts';
import { isInside } from '../files/is-inside.ts';
import { ForeignMember } from './foreign-member.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { type GivenValues, type LaunchInput, oneOrNone } from './launch-slots.ts';

/** The fields of the manifest. */
export interface BundleManifest {
	readonly name: string;
	readonly title: string | undefined;
	readonly version: string;
	readonly description: string;
	readonly author: string;
	readonly repositoryUrl: string | undefined;
	/** The platforms that it works on; none means all. */
	readonly platforms: readonly string[];
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	readonly inputs: readonly (LaunchInput & { readonly defaults: readonly string[] })[];
}

const types = ['node', 'python', 'binary', 'uv'] as const;

/** Read a parsed manifest for a platform. Throws `bad_input` with the member that is wrong. */
export function readBundle(value: unknown, platform: NodeJS.Platform = process.platform): BundleManifest {
	const top = new ForeignMember(value, 'manifest.json of the bundle cannot be used: it');
	top.at('server').object();
	const server = top.at('server');
	const type = server.at('type').oneOf(types, 'node');
	const config = server.at('mcpConfig');
	const special = config.at('platformOverrides').at(platform);
	// An override replaces the whole member.
	const member = (key: string): ForeignMember =>
		special.at(key).value === undefined ? config.at(key) : special.at(key);
	const command = member('command').template() ?? (type === 'uv' ? 'uv' : undefined);
	if (command === undefined) throw config.wrong('an object with a command');
	const args = member('args').items();
	const env = member('env');
	// `A=B` would set another variable than the one that is shown.
	if (env.names().some((name) => !/^[^=]+$/.test(name))) throw env.wrong('an object of variables');
	return {
		name: top.at('name').required(),
		title: top.at('displayName').text(),
		version: top.at('version').required(),
		description: top.at('description').text() ?? '',
		author: top.at('author').at('name').required(),
		repositoryUrl: top.at('repository').at('url').text(),
		platforms: top
			.at('compatibility')
			.at('platforms')
			.items()
			.map((each) => each.required()),
		command,
		args:
			config.value === undefined && type === 'uv'
				? ['run', '--directory', '${__dirname}', server.at('entryPoint').required()]
				: args.map((each) => each.template() ?? ''),
		env: Object.fromEntries(env.names().map((key) => [key, env.at(key).template() ?? ''])),
		inputs: readInputs(top.at('userConfig'), args),
	};
}

function readInputs(field: ForeignMember, args: readonly ForeignMember[]): BundleManifest['inputs'] {
	return field.names().map((key) => {
		const option = field.at(key);
		const type = option.at('type').oneOf(['string', 'number', 'boolean', 'directory', 'file'], 'string');
		const given = option.at('default');
		const defaults = Array.isArray(given.value)
			? given.items().map((each) => each.template() ?? '')
			: oneOrNone(given.template());
		const title = option.at('title').text();
		const about = option.at('description').text();
		return {
			key,
			description: title === undefined ? about : about === undefined ? title : `${title}: ${about}`,
			isRequired: option.at('required').flag() && defaults.every((text) => text === ''),
			isSecret: option.at('sensitive').flag(),
			exposedIn: args.some((each) => each.template()?.includes(`\${user_config.${key}}`))
				? 'command line'
				: undefined,
			format: type === 'directory' || type === 'file' ? 'filepath' : type,
			default: defaults[0],
			choices: [],
			isRepeated: option.at('multiple').flag(),
			range: type === 'number' ? rangeOf(option) : undefined,
			defaults,
		};
	});
}

function rangeOf(option: ForeignMember): LaunchInput['range'] {
	const bound = (name: string, otherwise: number): number => {
		const text = option.at(name).text();
		const number = text === undefined ? otherwise : Number(text);
		if (Number.isNaN(number)) throw option.at(name).wrong('a number');
		return number;
	};
	return { min: bound('min', -Infinity), max: bound('max', Infinity) };
}

/** The plan for a bundle that is unpacked in `folder`. */
export function planBundle(
	bundle: BundleManifest,
	folder: string,
	home: string,
): Pick<LaunchPlan, 'inputs' | 'entry'> {
	return {
		inputs: bundle.inputs,
		entry(values) {
			const templates = new BundleTemplates(bundle, placesOf(folder, home), values);
			const env = Object.entries(bundle.env).flatMap(([name, template]) =>
				oneOrNone(templates.text(template)).map((value): [string, string] => [name, value]),
			);
			return {
				command: commandIn(folder, templates.text(bundle.command) ?? ''),
				args: bundle.args.flatMap((template) => templates.args(template)),
				...(env.length > 0 && { env: Object.fromEntries(env) }),
				cwd: folder,
			};
		},
	};
}

/** A name is looked up in PATH, an absolute path is that program, and any other path is one of the bundle. */
function commandIn(folder: string, command: string): string {
	if (isAbsolute(command) || !/[/\\]/.test(command)) return command;
	const path = join(folder, command);
	if (isInside(path, folder)) return path;
	throw unusable(`its command ${command} leads out of it`);
}

function unusable(reason: string): OrchestraError {
	const message = `manifest.json of the bundle cannot be used: ${reason}`;
	return new OrchestraError('bad_input', message, { hint: 'Its author has to correct it.' });
}

function placesOf(folder: string, home: string): ReadonlyMap<string, string> {
	return new Map([
		['__dirname', folder],
		['HOME', home],
		['DESKTOP', join(home, 'Desktop')],
		['DOCUMENTS', join(home, 'Documents')],
		['DOWNLOADS', join(home, 'Downloads')],
		['pathSeparator', '/'],
		['/', '/'],
	]);
}

/** The strings of a manifest with what the user gave. */
class BundleTemplates {
	readonly #bundle: BundleManifest;
	readonly #places: ReadonlyMap<string, string>;
	readonly #values: GivenValues;

	constructor(bundle: BundleManifest, places: ReadonlyMap<string, string>, values: GivenValues) {
		this.#bundle = bundle;
		this.#places = places;
		this.#values = values;
	}

	/** An argument that is one value with several strings becomes several. */
	args(template: string): readonly string[] {
		const [, key] = /^\$\{user_config\.([^}]*)\}$/.exec(template) ?? [];
		return key === undefined ? oneOrNone(this.text(template)) : this.#given(key);
	}

	/** Undefined when a value of it is not given. */
	text(template: string): string | undefined {
		const placed = this.#placed(template);
		const [foreign] = /\$\{(?!user_config\.)[^}]*\}/.exec(placed) ?? [];
		if (foreign !== undefined) throw unusable(`nothing is known about ${foreign}`);
		let isComplete = true;
		const text = placed.replace(/\$\{user_config\.([^}]*)\}/g, (_, key: string) => {
			const [value] = this.#given(key);
			if (value === undefined) isComplete = false;
			return value ?? '';
		});
		return isComplete ? text : undefined;
	}

	#given(key: string): readonly string[] {
		const option = this.#bundle.inputs.find((each) => each.key === key);
		return this.#values.get(key) ?? option?.defaults.map((text) => this.#default(text)) ?? [];
	}

	/** A default is a text of the author: unlike a value of the user it may name no variable and no secret. */
	#default(template: string): string {
		const text = this.#placed(template);
		const [foreign] = /\$\{[^}]*\}/.exec(text) ?? [];
		if (foreign === undefined) return text;
		throw unusable(`nothing is known about ${foreign}`);
	}

	#placed(template: string): string {
		return template.replace(/\$\{([^}]*)\}/g, (whole, name: string) => this.#places.get(name) ?? whole);
	}
}
