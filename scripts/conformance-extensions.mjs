/*
 * The scenarios of extensions in the official conformance suite, against a hub over HTTP.
 *
 * A scenario of an extension is on no timeline: with `--spec-version` it is skipped and passes. So
 * the checks are counted: a scenario passes when it has checks, and all of them succeeded.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './steps.mjs';

const SCENARIO_MS = 90_000;

const skillScenarios = ['enumeration', 'manifest', 'directory'].map((name) => `sep-2640-skills-${name}`);

/** The tenth scenario of the suite, tasks-status-notifications, is a stub without checks. */
const taskScenarios = [
	'capability-negotiation',
	'dispatch-and-envelope',
	'lifecycle',
	'wire-fields',
	'request-headers',
	'mrtr-input',
	'mrtr-composition',
	'required-task-error',
	'request-state-removal',
].map((name) => `tasks-${name}`);

/** The extensions: the scenarios, and the files of the folder of the hub. */
const extensions = {
	'tasks-modern': tasksOf('modern'),
	'tasks-legacy': tasksOf('legacy'),
	'skills-server': {
		scenarios: skillScenarios,
		files: { 'orchestra.json': configurationOf('skills-server.mjs') },
	},
	'skills-library': {
		scenarios: skillScenarios,
		files: {
			'orchestra.json': JSON.stringify({ library: { prompts: './prompts', resources: './resources' } }),
			'prompts/fix.md': 'Fix {{task}} now.\n',
			'resources/guides/error-handling.md': '# Errors\n\nHandle each error once.\n',
			'resources/first/release-notes/SKILL.md':
				'---\nname: release-notes\ndescription: Write the notes of a release\nversion: 1.10\n---\n\n# Notes\n',
			'resources/first/release-notes/templates/short.md': '# Short\n',
		},
	},
};

export const extensionParts = Object.keys(extensions);

/** The checks of each scenario. */
export function runExtension({ suite, folder, part }) {
	const { scenarios, files } = extensions[part];
	const place = makePlace(folder, files);
	return withServer(['http-server.mjs', 'hub', place], (url) =>
		scenarios.map((scenario) => runScenario({ suite, place, url, scenario })),
	);
}

/** A new folder with these files. */
export function makePlace(folder, files) {
	const place = mkdtempSync(join(folder, 'place-'));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(place, name)), { recursive: true });
		writeFileSync(join(place, name), text);
	}
	return place;
}

/** What `use` makes of the URL of a server of test/conformance, which has ended then. */
export async function withServer([program, ...args], use) {
	const server = spawn(process.execPath, [join(root, 'test', 'conformance', program), ...args], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	try {
		const [url] = await once(server.stdout.setEncoding('utf8'), 'data');
		return use(url.trim());
	} finally {
		server.stdin.end();
		await once(server, 'exit');
	}
}

function runScenario({ suite, place, url, scenario }) {
	const results = mkdtempSync(join(place, 'results-'));
	const args = ['-y', 'node@22', suite, 'server', '--url', url, '--scenario', scenario, '-o', results];
	const { stdout, stderr } = spawnSync('npx', args, { cwd: place, encoding: 'utf8', timeout: SCENARIO_MS });
	return reportChecks(scenario, checksIn(results), `${stdout}${stderr}`);
}

/** Print the counts of a scenario. Returns its checks. */
export function reportChecks(scenario, checks, output) {
	const { text, mark } = scoreOf([checks]);
	console.log(`${mark}  ${scenario}: ${text}`);
	printShortfalls(checks);
	if (checks.length === 0) console.log(output);
	return checks;
}

/** Print the checks that did not succeed, with the reason of the suite. */
export function printShortfalls(checks) {
	for (const { id, status, errorMessage = '' } of checks.filter(({ status: made }) => made in shortfalls))
		console.log(`      ${status} ${id} ${errorMessage}`);
}

/** What is no success, and whether that is a failure. A warning is about a SHOULD. */
const shortfalls = { FAILURE: true, SKIPPED: true, WARNING: false };

/**
 * Checks that no client of 2026-07-28 can reach: the suite wants a handshake, but answers it with that revision, which has
 * none. They count as skipped, so their scenario has not passed; they do not fail the run, as any other skipped check does.
 */
const unreachable = ['ClientMcpMethodHeader_initialize', 'ClientMcpMethodHeader_notifications_initialized'];

/** The score of scenarios by their checks: one passes when it has checks and none of them failed or was skipped. */
export function scoreOf(scenarios) {
	const isShort = ({ status }) => shortfalls[status];
	const isUnreachable = ({ name, status }) => status === 'SKIPPED' && unreachable.includes(name);
	const isGood = (checks) => checks.length > 0 && !checks.some(isShort);
	const isAcceptable = (checks) => checks.length > 0 && checks.filter(isShort).every(isUnreachable);
	const counted = scenarios.flat().filter(({ status }) => status !== 'INFO');
	const count = (wanted) => counted.filter(({ status }) => status === wanted).length;
	const passed = scenarios.filter(isGood).length;
	const more = Object.keys(shortfalls)
		.filter((status) => count(status) > 0)
		.map((status) => `, ${count(status)} ${status.toLowerCase()}`);
	const left = counted.filter(isUnreachable).length;
	if (left > 0) more.push(` (${left} of the handshake, which 2026-07-28 does not have)`);
	const rest = scenarios.every(isAcceptable) ? 'skip' : 'FAIL';
	return {
		text: `${passed} of ${scenarios.length} scenarios, ${count('SUCCESS')} of ${counted.length} checks${more.join('')}`,
		mark: passed === scenarios.length ? 'pass' : rest,
	};
}

/** The checks that the suite wrote. */
export function checksIn(folder) {
	return readdirSync(folder, { recursive: true })
		.filter((name) => name.endsWith('checks.json'))
		.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** A server with tasks of the extension, or of 2025-11-25: there one tool that asks first becomes a task of the hub. */
function tasksOf(form) {
	const tasks = { always: ['test_tool_with_task'] };
	return {
		scenarios: taskScenarios,
		files: { 'orchestra.json': configurationOf('task-server.mjs', [form], { tasks }) },
	};
}

function configurationOf(fixture, args = [], more = {}) {
	const program = join(root, 'test', 'fixtures', 'servers', fixture);
	return hubOf({ command: process.execPath, args: [program, ...args] }, more);
}

/** The configuration of a hub with this server, whose names stay as they are. */
export function hubOf(server, more = {}) {
	return JSON.stringify({ mcpServers: { docs: { ...server, prefix: false } }, ...more });
}
