/*
 * The headers of a remote server that a command prints, as `headersHelper` of its entry says:
 * short-lived tokens of a company, for example. It is a shell command, as in the clients that
 * have the key; the entry is trusted like one that starts a program.
 *
 * It runs when the server is dialed, and once more when the server refuses what it printed.
 */
import { attempt, OrchestraError } from '../errors.ts';
import { commandOutput } from '../secrets/secret-command.ts';
import { registerHeader } from '../secrets/secret-name.ts';
import type { HttpAuth } from '../transport/http/http-auth.ts';
import { isObject, ownEntry } from '../wire/json.ts';

/** Names and values of HTTP. */
type Headers = Readonly<Record<string, string>>;

const HOW_TO_MEND =
	'Run it by hand. It must print one JSON object on stdout and nothing else, for example {"Authorization": "Bearer …"}.';

export interface HelperOptions {
	readonly command: string;
	/** The working directory. */
	readonly folder: string;
	/** The name and the URL of the server, which the command gets as variables. */
	readonly server: { readonly name: string; readonly url: string };
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Ends the command. */
	readonly signal?: AbortSignal | undefined;
}

export class HeadersHelper implements HttpAuth {
	readonly #options: HelperOptions;
	#printed: Promise<Headers> | undefined;
	#again: Promise<Headers> | undefined;

	constructor(options: HelperOptions) {
		this.#options = options;
	}

	/** All of its headers may be authorization. */
	async token(): Promise<undefined> {
		return undefined;
	}

	headers(): Promise<Headers> {
		this.#printed ??= this.#run();
		return this.#printed;
	}

	/** Run it once more, for all requests that are refused at the same time. */
	async onUnauthorized(): Promise<'retry' | 'fail'> {
		const before = await this.headers();
		this.#again ??= this.#run().finally(() => {
			this.#again = undefined;
		});
		const printed = this.#again;
		const now = await printed;
		this.#printed = printed;
		return JSON.stringify(now) === JSON.stringify(before) ? 'fail' : 'retry';
	}

	async #run(): Promise<Headers> {
		const { command, folder, server, environment, signal } = this.#options;
		const env = {
			...variablesIn(command, environment),
			CLAUDE_CODE_MCP_SERVER_NAME: server.name,
			CLAUDE_CODE_MCP_SERVER_URL: server.url,
		};
		const isWindows = process.platform === 'win32';
		const shell = isWindows ? { command: 'cmd', args: ['/d', '/s', '/c'] } : { command: 'sh', args: ['-c'] };
		const record = { ...shell, args: [...shell.args, command], env };
		try {
			return headersIn(await commandOutput(record, { folder, environment, signal }));
		} catch (error) {
			const { message } = OrchestraError.from(error);
			throw new OrchestraError('bad_input', `headersHelper of ${server.name} failed: ${message}`, {
				hint: HOW_TO_MEND,
				data: { server: server.name, outcome: 'not_run' },
			});
		}
	}
}

/** The variables that a command names, beside the minimal environment of every child. */
function variablesIn(command: string, environment: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
	return Object.fromEntries(
		[...command.matchAll(/\$\{?([A-Za-z_]\w*)|%(\w+)%/g)].flatMap(([, name = '', windows = '']) => {
			const value = ownEntry(environment, name || windows);
			return value === undefined ? [] : [[name || windows, value]];
		}),
	);
}

function headersIn(text: string): Headers {
	// What is no JSON is reported with what it must be.
	const value: unknown = attempt(() => JSON.parse(text));
	if (!isObject(value) || !Object.values(value).every((each) => typeof each === 'string'))
		throw new OrchestraError('bad_input', 'it did not print a JSON object of strings', { hint: HOW_TO_MEND });
	// Every value is a string.
	const headers = value as Record<string, string>;
	for (const [name, each] of Object.entries(headers)) registerHeader(name, each);
	return headers;
}
