/*
 * The checks of `mctl doctor`. Each check yields findings; a new part of the
 * product adds its check to the list at the end.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, parse, sep } from 'node:path';
import { promisify } from 'node:util';
import { type BlockedFile, blockedText, trustHint } from '../../config/trust/blocked.ts';
import { effectChanges } from '../../config/trust/effect-changes.ts';
import { OrchestraError } from '../../errors.ts';
import { inspectCertificates } from '../../link/certificates/inspect-certificates.ts';
import { printableName } from '../../printable.ts';
import { childEnvironment } from '../../process/environment.ts';
import { findCommand } from '../../process/find-command.ts';
import { bundledToolsRoot } from '../../tool/discover.ts';
import { programOf } from '../../tool/missing-program.ts';
import { missingConfigHint, settingsOf } from '../../tool/settings.ts';
import type { DiscoveredTool } from '../../tool/tool.ts';
import { VERSION_WAIT_MS } from '../cli-limits.ts';
import type { CommandPlace } from '../command.ts';
import { nodeProblem, OLDEST_NODE } from '../node-version.ts';
import { problemLines } from '../problem-lines.ts';
import type { Project } from '../target/project.ts';
import { formatCounted } from '../terminal/quantity.ts';
import type { Verdict } from '../terminal/verdict.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkSecrets } from './check-secrets.ts';
import { failure } from './failure.ts';

export interface DoctorFinding {
	readonly verdict: Verdict;
	readonly text: string;
	/** How to fix it. Always set for `fail`. */
	readonly fix?: string | undefined;
}

export interface DoctorContext extends CommandPlace {
	readonly project: Project;
	/** True: start the programs of MCP servers, and contact remote ones. */
	readonly contacts: boolean;
	readonly signal: AbortSignal;
}

type Check = (context: DoctorContext) => AsyncIterable<DoctorFinding> | Iterable<DoctorFinding>;

/**
 * Programs that are run for their version. A manifest may name any program, and a stranger may have written it: only
 * programs of PATH are run, never a program that is named by its path.
 */
const runtimes = /^(?:node|python[\d.]*|pwsh|dotnet|go|deno|bun|ruby|perl|php|java|uv|npx)(?:\.exe|\.cmd)?$/i;

function* checkNode(): Generator<DoctorFinding> {
	const isNewEnough = nodeProblem(process.versions.node) === undefined;
	const fix = isNewEnough ? undefined : `Install Node.js ${OLDEST_NODE} or later.`;
	yield { verdict: isNewEnough ? 'ok' : 'fail', text: `Node.js ${process.versions.node}`, fix };
}

function* checkConfiguration({ project }: DoctorContext): Generator<DoctorFinding> {
	const { files } = project.configuration;
	for (const file of files) yield { verdict: 'ok', text: `configuration ${file}` };
	if (files.length === 0) yield { verdict: 'ok', text: 'no configuration; `mctl init` writes one' };
	for (const line of problemLines(project.configProblems)) yield { verdict: 'fail', ...line };
}

/** Not a failure: the file may be a stranger's, and the user wants it so. */
function* checkTrust({ project }: DoctorContext): Generator<DoctorFinding> {
	for (const file of project.blocked) {
		yield { verdict: 'warn', text: blockedText(file), fix: changesText(file) };
	}
}

/** The next step, and the changes since the file was trusted. */
function changesText(file: BlockedFile): string {
	const hint = `R${trustHint(file).slice(1)}`;
	if (file.trustedEffects === undefined) return hint;
	const changes = effectChanges(file.effects, file.trustedEffects).filter(({ change }) => change !== 'same');
	const shown = changes.map(({ change, kind, name, text }) => `${change}: ${kind} ${name} ${text}`.trimEnd());
	return [hint, ...shown.map((line) => printableName(line))].join('\n         ');
}

function* checkRoots({ project }: DoctorContext): Generator<DoctorFinding> {
	for (const root of project.roots) {
		const count = project.tools.filter(({ file }) => file.startsWith(root)).length;
		const name = root === bundledToolsRoot ? 'bundled examples' : `tool root ${root}`;
		if (existsSync(root)) yield { verdict: 'ok', text: `${name}: ${formatCounted(count, 'tool')}` };
		else yield { verdict: 'warn', text: `${name} does not exist`, fix: 'mctl new tool my-tool makes it.' };
	}
	for (const line of problemLines(project.toolProblems)) yield { verdict: 'fail', ...line };
}

async function* checkRuntimes({ project, environment }: DoctorContext): AsyncGenerator<DoctorFinding> {
	const byCommand = new Map<string, DiscoveredTool[]>();
	for (const tool of project.tools) {
		const command = programOf(tool, environment);
		byCommand.set(command, [...(byCommand.get(command) ?? []), tool]);
	}
	const { root } = project.configuration;
	for (const [command, tools] of byCommand) yield await checkRuntime(command, tools, { environment, root });
}

async function checkRuntime(
	command: string,
	tools: readonly DiscoveredTool[],
	{ environment, root }: { environment: Readonly<NodeJS.ProcessEnv>; root: string },
): Promise<DoctorFinding> {
	const users = tools.map(({ id }) => id).join(', ');
	const name = basename(command);
	try {
		const file = findCommand(command, tools[0]?.folder ?? '/', childEnvironment(environment));
		const isNamed = command === process.execPath || !/[/\\]/.test(command);
		const isRuntime = isNamed && runtimes.test(basename(file)) && !file.startsWith(root + sep);
		const version = isRuntime ? await versionOf(file) : '';
		return { verdict: 'ok', text: `${name}${version && ` ${version}`} (for ${users})` };
	} catch (error) {
		const { message, hint } = OrchestraError.from(error);
		const isExample = tools.every(({ file }) => file.startsWith(bundledToolsRoot));
		const text = isExample
			? `${name} is not installed (only examples use it, which are not listed: ${users})`
			: `${message} (for ${users}, which cannot be listed)`;
		return { verdict: isExample ? 'warn' : 'fail', text, fix: hint };
	}
}

/** The output of the program with `--version`; some have none, and that is no fault. */
async function versionOf(file: string): Promise<string> {
	const argument = basename(file) === 'go' ? 'version' : '--version';
	try {
		// Some read files of the working directory, and a go.mod there can make `go version` download a toolchain.
		const options = { timeout: VERSION_WAIT_MS, cwd: parse(file).root };
		const { stdout, stderr } = await promisify(execFile)(file, [argument], options);
		return /\d+(\.\d+)+/.exec(stdout || stderr)?.[0] ?? '';
	} catch {
		return '';
	}
}

function* checkPlugins({ project, environment }: DoctorContext): Generator<DoctorFinding> {
	for (const { id, binary, env, file, isEnabled, cwd = dirname(file) } of project.configuration.plugins) {
		if (!isEnabled) continue;
		const place = { what: `plugin ${id}`, cwd, environment: childEnvironment(environment, env) };
		yield checkProgram(binary, place, `Correct the binary of ${id} in ${file}.`);
	}
}

/** Whether a program is installed. */
export function checkProgram(
	program: string,
	{ what, cwd, environment }: { what: string; cwd: string; environment: Record<string, string> },
	fix: string,
): DoctorFinding {
	try {
		findCommand(program, cwd, environment);
		return { verdict: 'ok', text: `${what}: ${program} is there` };
	} catch (error) {
		return failure(error, `${what}: `, fix);
	}
}

function* checkRequiredConfig({ project }: DoctorContext): Generator<DoctorFinding> {
	for (const tool of project.tools) {
		const { config, blockedConfigFolder } = project.configuration.tools;
		const { missing } = settingsOf(tool, config);
		if (missing.length > 0) {
			const text = `${tool.id} needs ${missing.join(', ')}, which is not configured`;
			yield { verdict: 'fail', text, fix: missingConfigHint(missing, blockedConfigFolder) };
		} else if ((tool.requiredConfig ?? []).length > 0) {
			yield { verdict: 'ok', text: `${tool.id} has all the configuration it needs` };
		}
	}
}

function* checkCertificates({ project, environment }: DoctorContext): Generator<DoctorFinding> {
	const usual = join(environment['HOME'] ?? '/', '.orchestra', 'certs');
	yield* inspectCertificates(project.configuration.hub.certsDir ?? usual);
}

/** The HTTP listener is off unless the configuration has an address. */
async function* checkHttp({ project }: DoctorContext): AsyncGenerator<DoctorFinding> {
	const { hub } = project.configuration;
	if (hub.httpAddr === undefined) return;
	const { listenerSettings } = await import('../../http/http-settings.ts'); // loaded on demand: few projects use it
	try {
		const { tls } = await listenerSettings(hub.httpAddr, hub);
		yield { verdict: 'ok', text: `MCP over HTTP on ${hub.httpAddr}${tls ? ', with TLS' : ''}` };
	} catch (error) {
		yield failure(error, '', 'Correct hub.httpAddr.');
	}
}

/** A check whose code is loaded when it is needed. */
function onDemand(load: (context: DoctorContext) => Promise<Check | false | undefined>): Check {
	return async function* (context) {
		const check = await load(context);
		if (check) yield* check(context);
	};
}

export const doctorChecks: readonly Check[] = [
	checkNode,
	checkConfiguration,
	checkTrust,
	checkRoots,
	checkRuntimes,
	onDemand(async () => (await import('./doctor-servers.ts')).inspectServers),
	onDemand(async () => (await import('./check-pins.ts')).inspectPins),
	checkPlugins,
	checkSecrets,
	checkSandbox,
	checkRequiredConfig,
	checkCertificates,
	checkHttp,
	onDemand(
		async ({ project }) =>
			project.configuration.search.embeddings && (await import('./check-embeddings.ts')).checkEndpoint,
	),
	onDemand(
		async ({ project }) =>
			project.configuration.fabric && (await import('./check-fabric.ts')).checkFabricSettings,
	),
];
