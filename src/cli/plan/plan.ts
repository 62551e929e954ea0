/* `mctl plan`: run a program that calls tools, keep it as a tool of the project, look at what plans did, go on with them. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { trustsAll } from '../../config/trust/blocked.ts';
import { isPlanName, PLANS_FOLDER, planEffects } from '../../config/trust/plan-files.ts';
import { recordedEffects } from '../../config/trust/trust-edit.ts';
import { TrustRecord } from '../../config/trust/trust-record.ts';
import { OrchestraError } from '../../errors.ts';
import type { PlanHead, StoredPlan } from '../../hub/plans/plan-record.ts';
import { PlanStore, planWithId } from '../../hub/plans/plan-store.ts';
import { planText, savedPlans } from '../../hub/plans/saved-plans.ts';
import { handlersOf } from '../call/call-tool.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import { type Command, type CommandInput, jsonFlag, textFlag, usageError } from '../command.ts';
import { exitCodes } from '../exit.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import { withHub } from '../hub-client/with-hub.ts';
import { inputFlag, readInput } from '../input/read-input.ts';
import { writeNewFile } from '../new/create-fragment.ts';
import { refuseBlocked } from '../target/target-name.ts';
import { CallView } from '../terminal/call-view.ts';
import { replay, show, showAll } from './plan-view.ts';

export const plan: Command = {
	usage: 'mctl plan [ls|run FILE|show ID|save ID NAME|replay ID [FILE]|resume ID] [--input JSON]',
	examples: [
		'mctl plan run count.ts --input \'{"folder": "src"}\'',
		'mctl plan ls',
		'mctl plan save 3f2a weekly-report --description "What changed this week"',
		'mctl plan replay 3f2a plans/weekly-report.ts',
		'mctl plan resume 3f2a',
	],
	flags: {
		input: inputFlag,
		description: { value: 'TEXT', help: 'what the saved plan is for' },
		all: { help: 'those of all projects' },
		json: jsonFlag,
	},
	args: [0, 3, 'an action and what it is for'],

	async run(input) {
		const [action = 'ls', first, second] = input.args;
		const most = action === 'ls' ? 0 : action === 'save' || action === 'replay' ? 2 : 1;
		const extra = input.args[most + 1];
		if (!actions.has(action)) throw usageError(plan, `there is no "mctl plan ${action}"`);
		if (extra !== undefined) throw usageError(plan, `unexpected argument "${extra}"`);
		if (action === 'ls') return showAll(storeOf(input), headsHere(input), input);
		if (first === undefined)
			throw usageError(plan, `mctl plan ${action} needs ${needs[action] ?? 'the id of a plan'}`);
		if (action === 'run') return runFile(first, input);
		const found = one(first, input);
		if (action === 'show') return show(found, input);
		if (action === 'replay') return replay(found, second && codeOf(second, input), input);
		if (action === 'resume') return call({ resume: found.head.id }, input);
		if (second === undefined) throw usageError(plan, 'mctl plan save needs the id of a plan and a name');
		return save(found, second, input);
	},
};

const actions: ReadonlySet<string> = new Set(['ls', 'run', 'show', 'save', 'replay', 'resume']);
const needs: Readonly<Record<string, string>> = { run: 'a file with a program, or the name of a saved plan' };

async function runFile(file: string, input: CommandInput): Promise<number> {
	return call(
		{ code: codeOf(file, input), input: await readInput(plan, input, input.flags['input']) },
		input,
	);
}

/** The code of a file, or of a saved plan. */
function codeOf(file: string, input: CommandInput): string {
	const path = resolve(input.cwd, file);
	if (existsSync(path)) return readFileSync(path, 'utf8');
	const { configuration, blocked } = loadConfiguration(input);
	const found = savedPlans(configuration.root, input.environment).find(({ name }) => name === file);
	if (found) return found.code;
	refuseBlocked(file, blocked);
	throw new OrchestraError('not_found', `there is no file ${file} and no saved plan of this name`, {
		hint: `Saved plans are in ${join(configuration.root, PLANS_FOLDER)}.`,
	});
}

async function call(given: object, input: CommandInput): Promise<number> {
	const { out, environment, flags } = input;
	const view = new CallView(out, environment);
	const { onElicitation, onLog } = handlersOf(view, input);
	const result = await withHub(
		input,
		(session) =>
			session
				.request(
					'tools/call',
					{ name: 'run_plan', arguments: given },
					{ onProgress: (params: unknown) => view.progress(params) },
				)
				.catch((thrown: unknown) => {
					throw errorOfHub(thrown);
				}),
		{
			onElicitation,
			onNotification: (method, params) => method === 'notifications/message' && onLog(params),
			listWaitMs: loadConfiguration(input).configuration.plans === true ? COMMAND_START_WAIT_MS : off(),
		},
	).finally(() => view.clear());
	// The answer to a call of a tool.
	const answer = result as Record<string, unknown>;
	if (flags['json']) out.json({ schema: 'orchestra.plan-result/1', result: answer });
	else view.result(answer);
	return answer['isError'] === true ? exitCodes.tool_failed : 0;
}

function off(): never {
	throw new OrchestraError('bad_input', 'plans are off in this folder', {
		hint: 'Write "plans": true in orchestra.json.',
	});
}

async function save({ head }: StoredPlan, name: string, input: CommandInput): Promise<void> {
	if (!isPlanName(name))
		throw usageError(plan, `"${name}" is no name of a plan: letters, digits, - and _, a letter first`);
	const path = join(rootOf(input), PLANS_FOLDER, `${name}.ts`);
	const about = textFlag(input, 'description') ?? `Saved from the plan ${head.id.slice(0, 8)}.`;
	const text = planText(head.code, about);
	await writeNewFile(path, text);
	// The user saves it, so it is trusted.
	const bytes = Buffer.from(text);
	const effects = recordedEffects(planEffects({ name, bytes }));
	if (!trustsAll(input.environment)) await TrustRecord.ofUser(input.environment).trust(path, bytes, effects);
	if (input.flags['json']) return input.out.json({ schema: 'orchestra.plan-saved/1', name, path });
	input.out.line(
		`${path}: write its parameters in the header, for example: @param {string} folder The folder`,
	);
}

function rootOf({ cwd, environment }: CommandInput): string {
	return loadConfiguration({ cwd, environment }).configuration.root;
}

function storeOf({ environment }: CommandInput): PlanStore {
	return new PlanStore(environment);
}

function headsHere(input: CommandInput): PlanHead[] {
	const heads = storeOf(input).list();
	const root = rootOf(input);
	return input.flags['all'] ? heads : heads.filter((head) => head.root === root);
}

/** The plan with this id, or with an id that begins so. */
function one(id: string, input: CommandInput): StoredPlan {
	return storeOf(input).read(planWithId(headsHere(input), id));
}
