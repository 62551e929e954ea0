/* `mctl check`: the conformance of a tool to the protocol. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import { checkTool, type Finding } from '../../tool/check.ts';
import type { DiscoveredTool } from '../../tool/tool.ts';
import type { JsonObject } from '../../wire/json.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { inputFlag, readInput } from '../input/read-input.ts';
import { findTool, openProject } from '../target/project.ts';
import { verdictMark } from '../terminal/verdict.ts';

const TEST_INPUT = 'test-input.json';

export const check: Command = {
	usage: 'mctl check <tool folder|file|id> [--input JSON|@file|-] [--json]',
	examples: ['mctl check ./tools/my-tool', 'mctl check hello-world', 'mctl check ./x --input \'{"n":1}\''],
	flags: {
		input: { ...inputFlag, help: `an input that must work (default: ${TEST_INPUT}, else {})` },
		json: jsonFlag,
	},
	args: [1, 1, 'the folder of a tool'],

	async run(input) {
		const { args, flags, out, cwd, environment, signal } = input;
		const [arg = ''] = args;
		const project = openProject({ cwd, environment }, { hasExamples: true });
		const tool = findTool(project, existsSync(resolve(cwd, arg)) ? resolve(cwd, arg) : arg);
		const given = await inputFor(tool, input);
		const { root: workspaceRoot, tools } = project.configuration;
		const findings: Finding[] = [];
		if (!flags['json'])
			out.line(
				`${out.style('bold', tool.id)} ${printable(tool.version)}  ${out.style('dim', printable(tool.file))}`,
			);
		for await (const finding of checkTool(tool, {
			input: given,
			config: tools.config,
			workspaceRoot,
			signal,
		})) {
			findings.push(finding);
			if (!flags['json']) printFinding(out, finding);
		}
		const failures = findings.filter(({ verdict }) => verdict === 'fail').length;
		if (flags['json']) out.json({ schema: 'orchestra.check/1', tool: tool.id, ok: failures === 0, findings });
		if (failures > 0) throw brokenProtocol(tool, failures);
		if (!flags['json']) out.line(`\n${tool.id} conforms to Tool Protocol v1.`);
	},
};

function printFinding(
	out: Parameters<typeof verdictMark>[0],
	{ verdict, title, detail, advice }: Finding,
): void {
	out.line(`${verdictMark(out, verdict)} ${title}: ${printable(detail)}`);
	if (verdict !== 'ok' && advice !== undefined) out.line(`       → ${printable(advice)}`);
}

function inputFor(tool: DiscoveredTool, input: CommandInput): Promise<JsonObject> {
	const file = join(tool.folder, TEST_INPUT);
	const isSingle = !tool.file.endsWith('manifest.json');
	const hasFile = !isSingle && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
	return readInput(check, input, input.flags['input'] ?? (hasFile ? `@${file}` : undefined));
}

function brokenProtocol(tool: DiscoveredTool, failures: number): OrchestraError {
	const points = failures === 1 ? 'one point' : `${failures} points`;
	return new OrchestraError('tool_failed', `${tool.id} violates Tool Protocol v1 in ${points}`, {
		hint: 'Each [FAIL] above says what to do; docs/tools.md has the protocol.',
	});
}
