/* `mctl show`: what a tool takes and does, with a call to copy; prompts and resources too. */
import { printable, quoted } from '../../printable.ts';
import { typeText } from '../../schema/schema-text.ts';
import { type Parameter, parametersOf, shortParameter } from '../../schema/tool-signature.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { type ListedItem, textField } from '../hub-client/hub-items.ts';
import { exampleArgs } from '../input/example-args.ts';
import { nameAtServer, nameOf } from '../target/find-target.ts';
import type { Output } from '../terminal/output.ts';
import { cutText, padText, textWidth } from '../terminal/text-width.ts';
import { type FoundItem, findItem } from './find-item.ts';

export const show: Command = {
	usage: 'mctl show <name> [--json]  or  mctl show <server|client:server|stdio:URI|URL> <tool> [--json]',
	examples: [
		'mctl show hello-world',
		'mctl show files read_file',
		'mctl show files__read_file --json | jq .inputSchema',
		'mctl show "stdio:npx -y @modelcontextprotocol/server-everything" echo',
	],
	flags: { json: jsonFlag },
	args: [1, 2, 'the name of a tool, a prompt or a resource'],

	async run(input) {
		const { args, flags, out } = input;
		const found = await findItem(args, input);
		const shown = describe(found);
		if (flags['json']) return out.json(jsonOf(found, shown));
		print(shown, input);
	},
};

interface Shown {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	/** Undefined for a resource. */
	readonly parameters: readonly Parameter[] | undefined;
	readonly returns: string | undefined;
	/** Its properties: `read-only`, `text/plain`. */
	readonly traits: readonly string[];
	readonly from: string;
	/** Why its server has another scope than the default; undefined when it does not. */
	readonly scope: string | undefined;
	readonly example: string;
}

function describe({ kind, item, server, address }: FoundItem): Shown {
	const title = textField(item, 'title');
	const description = textField(item, 'description');
	const common = { title, description, from: fromText(server, address), scope: scopeText(server) };
	if (kind === 'resource') {
		const uri = textField(item, 'uri');
		const traits = [textField(item, 'mimeType')].filter(Boolean);
		const example = `mctl read ${quoted(uri)}`;
		return { ...common, name: uri, parameters: undefined, returns: undefined, traits, example };
	}
	const schema = kind === 'tool' ? schemaOf(item, 'inputSchema') : promptSchema(item);
	const output = schemaOf(item, 'outputSchema');
	return {
		...common,
		name: nameOf(item),
		parameters: parametersOf(schema),
		returns: item['outputSchema'] === undefined ? undefined : typeText({ schema: output, root: output }),
		traits: traitsOf(item['annotations']),
		example: [...commandOf({ kind, item, server, address }), ...exampleArgs(schema)].join(' '),
	};
}

/** A tool of a server is called by the server's name, as users know it. */
function commandOf({ kind, item, server, address }: FoundItem): string[] {
	if (kind === 'prompt') return ['mctl prompt', quoted(nameOf(item))];
	if (address !== undefined) return ['mctl call', quoted(address), quoted(nameOf(item))];
	if (server === undefined) return ['mctl call', quoted(nameOf(item))];
	return ['mctl call', quoted(server.name), quoted(nameAtServer(item, server))];
}

function fromText(server: FoundItem['server'], address: string | undefined): string {
	if (server === undefined) return address ?? '';
	const version = server.version === null ? '' : ` ${server.version}`;
	return `${server.name}${version}, ${server.state}`;
}

/** A server that sends client requests is not shared by them any more. */
function scopeText(server: FoundItem['server']): string | undefined {
	if (server === undefined || server.scope === server.settings.scope) return undefined;
	const others = `scope of mcpServers.${server.name} sets another`;
	return `${server.scope} from its next start, because it asked while several clients used it; ${others}`;
}

function schemaOf(item: ListedItem, key: string): JsonObject {
	// It came out of a message.
	return (isObject(item[key]) ? item[key] : {}) as JsonObject;
}

/** The arguments of a prompt are strings. */
function promptSchema({ arguments: places }: ListedItem): JsonObject {
	const list = Array.isArray(places) ? places.filter(isObject) : [];
	const properties = list.map((place): [string, JsonObject] => {
		const description = textField(place, 'description');
		return [nameOf(place), { type: 'string', ...(description && { description }) }];
	});
	const required = list.filter((place) => place['required'] === true).map(nameOf);
	return { type: 'object', properties: Object.fromEntries(properties), required };
}

const hints: Readonly<Record<string, readonly [yes: string, no: string]>> = {
	readOnlyHint: ['read-only', 'changes things'],
	destructiveHint: ['may destroy', 'destroys nothing'],
	idempotentHint: ['idempotent', 'not idempotent'],
	openWorldHint: ['reaches the outside', 'stays inside'],
};

function traitsOf(annotations: unknown): string[] {
	if (!isObject(annotations)) return [];
	return Object.entries(hints).flatMap(([key, [yes, no]]) => {
		const value = annotations[key];
		return typeof value === 'boolean' ? [value ? yes : no] : [];
	});
}

function jsonOf({ kind, item, server, address }: FoundItem, shown: Shown): object {
	const { name, parameters, example } = shown;
	const about = server && {
		name: server.name,
		state: server.state,
		version: server.version,
		era: server.era,
		scope: server.scope,
	};
	return {
		schema: 'orchestra.show/1',
		kind,
		...item,
		name: kind === 'resource' ? item['name'] : name,
		...(about && { server: about }),
		...(address !== undefined && { address }),
		...(parameters && { parameters }),
		example,
	};
}

function print(shown: Shown, { out }: CommandInput): void {
	const { name, title, description, parameters, returns, traits, from, scope, example } = shown;
	const heading = out.style('bold', printable(name));
	out.line(title === '' || title === name ? heading : `${heading}  ${printable(title)}`);
	if (description !== '') out.line(`\n${printable(description.trim())}`);
	if (parameters) for (const line of parameterLines(name, parameters, out)) out.line(line);
	out.line();
	if (returns !== undefined) out.line(label(out, 'Returns', returns));
	if (traits.length > 0) out.line(label(out, 'Hints', traits.join(', ')));
	if (from !== '') out.line(label(out, 'Server', from));
	if (scope !== undefined) out.line(label(out, 'Scope', scope));
	out.line(label(out, 'Example', example));
}

const LABEL_WIDTH = 9;

function label(out: Output, name: string, text: string): string {
	return `${out.style('dim', `${name}:`.padEnd(LABEL_WIDTH))}${printable(text)}`;
}

const DESCRIPTION_AT = 36;

/** One line each; the description begins in one column, or below a long type. */
function parameterLines(name: string, parameters: readonly Parameter[], out: Output): string[] {
	if (parameters.length === 0) return ['', `${printable(name)}()`];
	const shown = parameters.map((each) => ({
		text: printable(shortParameter(each)),
		about: printable(each.description),
	}));
	const widest = Math.max(
		...shown.map(({ text }) => textWidth(text)).filter((width) => width <= DESCRIPTION_AT),
		0,
	);
	const room = out.isTerminal ? Math.max(20, out.width - widest - 4) : Number.POSITIVE_INFINITY;
	const lines = shown.flatMap(({ text, about }) => {
		const dim = out.style('dim', cutText(about, room));
		if (about === '') return [`  ${text}`];
		return textWidth(text) > widest
			? [`  ${text}`, `  ${padText('', widest)}  ${dim}`]
			: [`  ${padText(text, widest)}  ${dim}`];
	});
	return ['', `${printable(name)}(`, ...lines, ')'];
}
