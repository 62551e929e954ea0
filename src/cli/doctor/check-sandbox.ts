/* The check of sandboxes for `mctl doctor`: is there one, and which entries need it? */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OrchestraError, reasonTextOf } from '../../errors.ts';
import { sandboxProgram } from '../../process/sandbox/sandbox.ts';
import { SANDBOX_TRY_MS } from '../cli-limits.ts';
import type { DoctorContext, DoctorFinding } from './doctor-checks.ts';

const trial = '--ro-bind / / --dev /dev --proc /proc --unshare-pid --unshare-net true'.split(' ');

/** One finding when no entry needs a sandbox, one per entry when there is none. */
export async function* checkSandbox({ project, environment }: DoctorContext): AsyncGenerator<DoctorFinding> {
	const { mcpServers, plugins, tools } = project.configuration;
	const users = [
		...mcpServers.flatMap((server) =>
			server.isEnabled && server.kind === 'stdio' && server.record.sandbox ? [`server ${server.name}`] : [],
		),
		...plugins.flatMap(({ id, isEnabled, sandbox }) => (isEnabled && sandbox ? [`plugin ${id}`] : [])),
		...(tools.sandbox ? ['tools'] : Object.keys(tools.sandboxes ?? {}).map((id) => `tool ${id}`)),
	];
	try {
		const program = sandboxProgram({ environment });
		if (process.platform === 'linux') await promisify(execFile)(program, trial, { timeout: SANDBOX_TRY_MS });
		const unverified = process.platform === 'linux' ? '' : ' (not verified on this system)';
		yield { verdict: 'ok', text: `sandbox: ${program}${unverified}` };
	} catch (error) {
		const { message, hint } = explain(error);
		if (users.length === 0) yield { verdict: 'ok', text: `no sandbox: ${message}; no entry needs one` };
		for (const user of users)
			yield { verdict: 'fail', text: `${user}: ${message}, so it does not start`, fix: hint };
	}
}

function explain(error: unknown): { message: string; hint: string } {
	if (OrchestraError.is(error))
		return { message: reasonTextOf(error), hint: error.hint ?? 'Remove `sandbox` to run it without one.' };
	return {
		message: 'bwrap may not make namespaces here',
		hint: 'Allow unprivileged user namespaces (kernel.unprivileged_userns_clone, AppArmor), or remove `sandbox`.',
	};
}
