import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type OpenedHub, openHub } from '../../src/hub/open-hub.ts';
import { Log } from '../../src/log.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const good = '{"plugins":[{"id":"a.b","binary":"./never-started"}],"limits":{"requestMs":1}}';
const other = good.replace('1}', '2}');

describe('the configuration of an open hub', () => {
	it.each([
		['orchestra.json', ''],
		['orchestra.json', good.slice(0, 30)],
		['plugins.yaml', ''],
		['plugins.yaml', 'plug'],
	])('stays in effect, with its plugins, while %s is %j', async (name, broken) => {
		const { opened, file, warned } = await open({ [name]: good });
		const before = opened.hub.sources;
		writeFileSync(file(name), broken);
		await warned(`the last good configuration stays in use: ${file(name)}`);
		expect(opened.hub.sources).toBe(before);
		expect(opened.configuration().plugins).toHaveLength(1);
		writeFileSync(file(name), '{"plugins":[]}');
		await until('the change is there', () => opened.configuration().plugins.length === 0);
	});

	it('changes when a file is deleted, unlike when it is invalid', async () => {
		const { opened, file } = await open({ 'orchestra.json': good });
		rmSync(file('orchestra.json'));
		await until('the plugin is gone', () => opened.configuration().plugins.length === 0);
	});

	it('changes although another file was invalid from the start', async () => {
		const { opened, file } = await open({
			'orchestra.json': good,
			'home/.config/orchestra/config.json': '{',
		});
		writeFileSync(file('orchestra.json'), other);
		await until('the change is there', () => opened.configuration().limits.requestMs === 2);
	});

	it("includes the user's file, whose folder is created after the start", async () => {
		const { opened, file } = await open({});
		writeFiles(file('home'), { '.config/orchestra/config.json': good });
		await until('the change is there', () => opened.configuration().plugins.length === 1);
	});
});

interface Opened {
	opened: OpenedHub;
	file: (name: string) => string;
	warned: (text: string) => Promise<void>;
}

async function open(files: Record<string, string>): Promise<Opened> {
	const cwd = writeFiles(temporaryFolder(), files);
	const file = (name: string): string => join(cwd, name);
	mkdirSync(file('home'), { recursive: true });
	const lines: string[] = [];
	const write = (line: string): void => void lines.push(line);
	const log = new Log('hub', { level: 'info', format: 'text', now: () => new Date(0), write });
	const opened = await openHub({ cwd, environment: { HOME: file('home'), ORCHESTRA_TRUST: 'all' }, log });
	onTestFinished(() => opened.close());
	const warned = (text: string): Promise<void> => until(text, () => lines.join('').includes(text));
	return { opened, file, warned };
}
