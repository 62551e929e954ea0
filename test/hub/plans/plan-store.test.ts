/* Records of plans on disk: what a crash, a full disk or damage leaves of them. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/files/sha256.ts';
import type { PlanHead } from '../../../src/hub/plans/plan-record.ts';
import { PlanLog, PlanStore, planWithId } from '../../../src/hub/plans/plan-store.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const OWNER = { pid: process.pid, startTime: 'now' };
const sent = { sent: 1, name: 'a__step', at: 1 };

describe('the record of a plan', () => {
	it('goes on without a line that a crash cut', async () => {
		const { store, head, file } = recorded();
		appendFileSync(file, '{"sent":2,"na');
		const taken = await store.take(head, OWNER);
		expect(taken?.plan).toMatchObject({ input: '[1]', lines: [sent], damage: undefined });
		taken?.log.write({ again: 1 });
		expect(readFileSync(file, 'utf8')).toMatch(/"sent":1.*\n\{"n":3,"again":1,.*\}\n$/);
		taken?.log.close();
		expect(store.read(head)).toMatchObject({ lines: [sent, { again: 1 }], damage: undefined });
	});

	it.each([
		['a line that is damaged', (text: string) => text.replace('"sent"', '"sen')],
		['no input', (text: string) => text.slice(text.indexOf('\n') + 1)],
		['no lines', () => ''],
		['an input that was changed', (text: string) => text.replace('[1]', '[2]')],
		['a line twice', (text: string) => text + (text.split('\n')[1] ?? '') + '\n'],
	])('is not gone on with when it has %s', async (_, damage) => {
		const { store, head, file } = recorded();
		writeFileSync(file, damage(readFileSync(file, 'utf8')));
		await expect(store.take(head, OWNER)).rejects.toThrow(/the record of the plan is damaged/);
	});

	it('is not gone on with when its program was changed', async () => {
		const { store, head, file: lines } = recorded();
		const file = lines.replace(/\.ndjson$/, '.json');
		writeFileSync(file, readFileSync(file, 'utf8').replace('return 1', 'return 2'));
		await expect(store.take(head, OWNER)).rejects.toThrow(/its program was changed/);
	});

	it('has an input of any size, and is found by the start of its id', async () => {
		const input = JSON.stringify('x'.repeat(5_000_000));
		const { store, head } = recorded(input);
		expect(store.list(head.principal)).toEqual([head]);
		expect(planWithId(store.list(), head.id.slice(0, 4))).toEqual(head);
		expect(store.read(head).input).toBe(input);
		expect(() => planWithId(store.list(), 'f')).toThrow(/no plan begins with "f"/);
	});

	it('is removed when there are too many, the oldest first', () => {
		const { store, folder, file } = recorded();
		const now = Date.now();
		for (let at = 0; at < 205; at++)
			store.create({ ...plan, id: at.toString(16).padStart(32, 'e'), startedAt: now + at }, 'null').close();
		expect(readdirSync(folder).filter((name) => name.endsWith('.ndjson'))).toHaveLength(200);
		expect(existsSync(file)).toBe(false);
	});

	it.skipIf(!existsSync('/dev/full'))('says that the disk is full', () => {
		const log = new PlanLog('/dev/full');
		expect(() => log.write(sent)).toThrow(/could not be written: ENOSPC/);
		log.close();
		expect(() => log.write(sent)).toThrow(/the plan has ended/);
	});
});

const plan: PlanHead = {
	id: '0'.repeat(32),
	principal: 'test',
	root: '/',
	client: 'test',
	code: 'return 1',
	sha256: sha256('return 1'),
	startedAt: 1_000_000,
	seed: 7,
	tools: [],
	owner: { pid: 0, startTime: '' },
};

/** A plan that sent one call, and whose process is gone. */
function recorded(input = '[1]'): { store: PlanStore; head: PlanHead; folder: string; file: string } {
	const state = temporaryFolder();
	const store = new PlanStore({ XDG_STATE_HOME: state });
	const log = store.create(plan, input);
	log.write(sent);
	log.close();
	const plans = join(state, 'orchestra/plans');
	const folder = join(plans, readdirSync(plans)[0] ?? '');
	return { store, head: plan, folder, file: join(folder, `${plan.id}.ndjson`) };
}
