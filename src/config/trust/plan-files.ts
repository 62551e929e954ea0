/*
 * The saved plans of a project as files that need trust: `plans/<name>.ts`, each a program that a client can call by its
 * name. Like a project file each is trusted by its path and its bytes, so one that was changed is blocked.
 */
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { namesIn } from '../../files/names-in.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { PLAN_FILE_BYTES, PLAN_FILES_LIMIT, PLAN_TEXT_CHARACTERS } from '../config-limits.ts';
import { trustsAll } from './blocked.ts';
import type { ProjectEffect } from './project-effects.ts';
import { TrustRecord } from './trust-record.ts';

/** The folder of them in a project. */
export const PLANS_FOLDER = 'plans';

/** The tool that runs a program; no saved plan has this name. */
export const RUN_PLAN = 'run_plan';

const NAME = /^[A-Za-z][\w-]{0,59}$/;

export interface PlanFile {
	readonly name: string;
	readonly file: string;
	readonly bytes: Uint8Array;
}

/** Whether a plan can be saved under this name. */
export function isPlanName(name: string): boolean {
	return NAME.test(name) && name !== RUN_PLAN;
}

/** Those of a project, by name; of `x.js` and `x.ts` the latter. What cannot be read is left out. */
export function planFilesIn(root: string): PlanFile[] {
	const folder = join(root, PLANS_FOLDER);
	const files = namesIn(folder)
		.filter((file) => /\.[jt]s$/.test(file))
		.sort();
	const named = files.filter((file) => !files.includes(file.replace(/\.js$/, '.ts')) || file.endsWith('.ts'));
	return named.slice(0, PLAN_FILES_LIMIT).flatMap((name): PlanFile[] => {
		const file = join(folder, name);
		const plan = name.slice(0, -'.ts'.length);
		const bytes = isPlanName(plan) ? attempt(() => readRegularFile(file, PLAN_FILE_BYTES)) : undefined;
		return bytes === undefined ? [] : [{ name: plan, file, bytes }];
	});
}

/** Those that the user trusts as they are. */
export function trustedPlanFiles(root: string, environment: Readonly<NodeJS.ProcessEnv>): PlanFile[] {
	const files = planFilesIn(root);
	if (files.length === 0 || trustsAll(environment)) return files;
	const record = TrustRecord.ofUser(environment);
	// A record that cannot be used trusts nothing.
	return files.filter(({ file, bytes }) => attempt(() => record.has(file, bytes), false));
}

/** The effect of the file: it is a tool. */
export function planEffects({ name, bytes }: Pick<PlanFile, 'name' | 'bytes'>): ProjectEffect[] {
	const start = Buffer.from(bytes).toString('utf8', 0, PLAN_TEXT_CHARACTERS).trim();
	const text = `${start.replaceAll(/\s+/g, ' ')} (SHA-256 ${sha256(bytes)})`;
	return [{ kind: 'plan', name, text, isBlocked: true }];
}
