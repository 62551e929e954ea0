/*
 * Open a URL in the browser of the user.
 *
 * The URL comes from a server, so it never reaches a shell, and nothing but http and
 * https is opened: handlers of other schemes start programs. `BROWSER` names another
 * program, with arguments; `BROWSER=none` opens nothing.
 */
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { OrchestraError } from '../errors.ts';

const NONE = 'none';

/**
 * Start the browser, which outlives this process. Resolves to false when there is none. Throws `bad_input` for other schemes.
 *
 * @param page a file of ours that leads to `target`, so that the command line of the browser does not have it
 */
export function openBrowser(
	target: string,
	environment: Readonly<NodeJS.ProcessEnv>,
	page?: string,
): Promise<boolean> {
	const url = URL.canParse(target) ? new URL(target) : undefined;
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw new OrchestraError('bad_input', 'the address of the sign-in page is neither http:// nor https://', {
			hint: 'Tell the operator of the authorization server.',
		});
	}
	const command = browserCommand(
		page === undefined ? url.href : pathToFileURL(page).href,
		environment,
		process.platform,
	);
	return command === undefined ? Promise.resolve(false) : start(command, environment);
}

/** Program and arguments; undefined when no browser can be shown here. */
export function browserCommand(
	url: string,
	environment: Readonly<NodeJS.ProcessEnv>,
	platform: NodeJS.Platform,
): [string, ...string[]] | undefined {
	const [program, ...args] = (environment['BROWSER'] ?? '').split(' ').filter((arg) => arg !== '');
	if (program === NONE) return undefined;
	if (program !== undefined) {
		const hasPlace = args.some((arg) => arg.includes('%s'));
		return [program, ...(hasPlace ? args.map((arg) => arg.replaceAll('%s', () => url)) : [...args, url])];
	}
	if (platform === 'darwin') return ['open', url];
	// Not `cmd /c start`: cmd would take `&` in the URL as the end of the command.
	if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
	const hasScreen = environment['DISPLAY'] || environment['WAYLAND_DISPLAY'];
	return hasScreen ? ['xdg-open', url] : undefined;
}

function start(
	[program, ...args]: [string, ...string[]],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<boolean> {
	return new Promise((resolve) => {
		const child = spawn(program, args, { env: environment, stdio: 'ignore', detached: true, shell: false });
		child.once('error', () => resolve(false)); // no such program: the URL is printed as well
		child.once('spawn', () => {
			child.unref();
			resolve(true);
		});
	});
}
