/*
 * `mctl doctor` about the MCP servers: is the program there, is a sign-in stored? Only
 * with `--check` a program is started or a remote server contacted.
 */
import type { RemoteServerEntry, ServerEntry } from '../../config/configuration.ts';
import { commandOf } from '../../hub/sources/mcp/process/server-failure.ts';
import type { SignInState } from '../../oauth/sign-in-state.ts';
import { childEnvironment } from '../../process/environment.ts';
import type { ServerCheck } from '../learn/check-servers.ts';
import { formatCounted } from '../terminal/quantity.ts';
import { checkProgram, type DoctorContext, type DoctorFinding } from './doctor-checks.ts';

const signInStates: Record<SignInState, string> = {
	signed_in: 'a sign-in is stored',
	refreshable: 'a sign-in is stored, and is renewed when it is used',
	expired: 'the stored sign-in is expired',
	none: 'no sign-in is stored',
	unassigned:
		'the sign-in that an earlier version stored for its URL is not used: other entries have that URL',
	header: 'authorized by its own header',
};

/** The check of a client with `oauth.grant`, whether it has a token or not. */
const machineText = 'it gets its token by itself';

/** The findings of each enabled server. */
export async function* inspectServers(context: DoctorContext): AsyncGenerator<DoctorFinding> {
	const entries = context.project.configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
	if (context.contacts && entries.length > 0) return yield* contactServers(entries, context);
	for (const entry of entries) {
		if (entry.kind === 'stdio') yield inspectProgram(entry, context);
		else yield await inspectRemote(entry, context);
	}
}

function inspectProgram(
	{ name, record, file }: ServerEntry & { kind: 'stdio' },
	{ cwd, environment }: DoctorContext,
): DoctorFinding {
	const { command, cwd: folder = cwd, env } = record;
	const place = { what: `server ${name}`, cwd: folder, environment: childEnvironment(environment, env) };
	return checkProgram(command, place, `Correct mcpServers.${name} in ${file}.`);
}

async function inspectRemote(
	entry: RemoteServerEntry,
	{ environment }: DoctorContext,
): Promise<DoctorFinding> {
	const signIn = await signInOf(entry, environment);
	const isMachine = signIn === 'refreshable' && (entry.oauth?.grant ?? 'browser') !== 'browser';
	const text = `server ${entry.name}: ${commandOf(entry)}, ${isMachine ? machineText : signInStates[signIn]} (not contacted; --check does it)`;
	if (signIn === 'expired') return { verdict: 'warn', text, fix: `mctl auth ${entry.name}` };
	if (signIn === 'unassigned') return { verdict: 'warn', text, fix: `mctl auth ${entry.name} --adopt` };
	return { verdict: 'ok', text };
}

/** The code of authorization is loaded on demand: few projects use it. */
async function signInOf(
	entry: RemoteServerEntry,
	environment: DoctorContext['environment'],
): Promise<SignInState> {
	const { signInStateOf } = await import('../../oauth/sign-in-state.ts');
	const { otherEntries } = await import('../../config/same-url.ts');
	return signInStateOf(entry, { environment, otherEntries: () => otherEntries(entry, environment) });
}

async function* contactServers(
	entries: readonly ServerEntry[],
	{ cwd, environment, signal }: DoctorContext,
): AsyncGenerator<DoctorFinding> {
	const { checkServers } = await import('../learn/check-servers.ts');
	const checks = await checkServers(entries, { cwd, environment, signal }, () => {});
	for (const [at, entry] of entries.entries()) {
		const check = checks[at];
		const how = (await authorizedText(entry, environment)) + (await proxyText(entry, environment));
		if (check) yield findingOf(entry, check, how);
	}
}

/** The error of a failed check names DNS, TLS, the status, or that the answer is not of MCP. */
function findingOf({ name, file }: ServerEntry, check: ServerCheck, how: string): DoctorFinding {
	if (!check.isOk) {
		const { message, hint } = check.error;
		return {
			verdict: 'fail',
			text: `server ${name}: ${message}`,
			fix: hint ?? `Correct mcpServers.${name} in ${file}.`,
		};
	}
	const { era, revision, tools, elapsedMs } = check;
	const text = `server ${name}: MCP ${revision} (${era}), ${formatCounted(tools, 'tool')}, ${elapsedMs} ms${how}`;
	return { verdict: 'ok', text };
}

/** How a server that was reached accepted us. */
async function authorizedText(
	entry: ServerEntry,
	environment: DoctorContext['environment'],
): Promise<string> {
	if (entry.kind === 'stdio') return '';
	const signIn = await signInOf(entry, environment);
	if (signIn === 'header') return `, ${signInStates.header}`;
	return ['none', 'expired', 'unassigned'].includes(signIn) ? '' : ', authorized by the stored sign-in';
}

/** Without the credentials of the proxy. */
async function proxyText(entry: ServerEntry, environment: DoctorContext['environment']): Promise<string> {
	if (entry.kind === 'stdio') return '';
	const { proxyFor } = await import('../../transport/http/proxy/proxy.ts'); // loaded on demand, as above
	const proxy = proxyFor(new URL(entry.url), environment);
	return proxy ? `, through the proxy ${proxy.label}` : '';
}
