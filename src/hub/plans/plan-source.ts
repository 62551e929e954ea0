/*
 * `run_plan` and the saved plans of a project, as a source: a plan is a call like any other to clients, policy, journal
 * and tasks. The rest is loaded with the first plan.
 *
 * A plan is stored, so the task of a plan goes on in the next hub: for tasks, the records are a server elsewhere.
 */
import { join } from 'node:path';
import { PLANS_FOLDER, RUN_PLAN } from '../../config/trust/plan-files.ts';
import { TrustRecord } from '../../config/trust/trust-record.ts';
import { OrchestraError } from '../../errors.ts';
import { FolderWatch } from '../../files/folder-watch.ts';
import { watchFiles } from '../../files/watch-files.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Call, CallToolParams, Capability, Change } from '../../mcp/server/provider.ts';
import { type Answer, failure, type Tool } from '../../protocol/mcp-types.ts';
import type { Can, Source } from '../source.ts';
import type { PlanHub, PlanRunner } from './run-plan.ts';
import { type SavedPlan, savedPlans } from './saved-plans.ts';

const runPlan: Tool = {
	name: RUN_PLAN,
	description:
		'Run a short program that calls tools, in one step: for loops, several calls of which only a summary matters, or data that need not be read. ' +
		'It is the body of an async function in TypeScript: `await`, and `return` with the result. ' +
		'The tool files__read_text_file is `await tools.files.readTextFile({ path })`; `await find(query)` and `await look({ handle, op })` as find_tools and look. ' +
		'A call returns the structured content, else the text, and throws when the tool fails. No imports, files, network, timers; `console.log` is returned. ' +
		'Write names of tools out. Not for one call.',
	inputSchema: {
		type: 'object',
		properties: {
			code: { type: 'string', description: 'The program' },
			input: { description: 'Any JSON; the program has it as `input`' },
			resume: { type: 'string', description: 'In place of code: the id of a plan that was interrupted' },
		},
	},
};

export interface PlanSourceOptions extends PlanHub {
	/** The folder of a project with saved plans; undefined for one that is not trusted. */
	readonly folder: string | undefined;
	/** Equal for the same project. */
	readonly configurationKey: string;
}

export class PlanSource implements Source, Can<'address' | 'configurationKey'> {
	readonly id = 'plans';
	readonly kind = 'plans';
	readonly status = { state: 'ready' } as const;
	readonly capabilities: readonly Capability[] = ['tools'];
	readonly configurationKey: string;
	readonly #options: PlanSourceOptions;
	#runner: Promise<PlanRunner> | undefined;

	constructor(options: PlanSourceOptions) {
		this.#options = options;
		this.configurationKey = options.configurationKey;
	}

	/** Where its tasks go on when the hub ends. */
	get address(): string {
		return `plans:${this.#options.root()}`;
	}

	list(): readonly Tool[] {
		return [runPlan, ...this.#saved().map(({ tool }) => tool)];
	}

	/** Call `listener` when a plan is saved, removed or trusted. */
	watch(listener: (change: Change) => void): () => void {
		const { folder, environment } = this.#options;
		if (folder === undefined) return () => {};
		const onChange = (): void => listener({ kind: 'tools' });
		const watching = new FolderWatch(join(folder, PLANS_FOLDER), { onEvent: onChange });
		const stop = watchFiles([TrustRecord.ofUser(environment).file], onChange);
		return () => {
			watching.close();
			stop();
		};
	}

	#saved(): SavedPlan[] {
		const { folder, environment } = this.#options;
		return folder === undefined ? [] : savedPlans(folder, environment);
	}

	async request({ method, params, context }: Call): Promise<Answer> {
		if (method !== 'tools/call') throw new OrchestraError('internal', `plans have no ${method}`);
		this.#runner ??= import('./run-plan.ts').then(({ PlanRunner: Runner }) => new Runner(this.#options));
		const runner = await this.#runner;
		const left = context.durable?.sentAs;
		if (left !== undefined) return runner.resume(left, context);
		if (params.name !== RUN_PLAN) return this.#runSaved(runner, params, context);
		return runner.call(params.arguments, context);
	}

	async #runSaved(
		runner: PlanRunner,
		{ name, arguments: input }: CallToolParams,
		context: CallContext,
	): Promise<Answer> {
		const saved = this.#saved().find((each) => each.name === name);
		if (saved === undefined) throw new OrchestraError('not_found', `the plan ${name} was removed or changed`);
		const { validate } = await import('../../schema/validate.ts');
		const wrong = await validate(saved.tool.inputSchema, input, name);
		if (wrong.length > 0) return failure(wrong.join('\n'));
		return runner.run({ code: saved.code, input, name }, context);
	}

	async close(): Promise<void> {
		await (await this.#runner)?.close();
	}
}
