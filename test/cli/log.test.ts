/* `mctl log`: which calls of the journal are shown, and new ones with -f. */
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { fileJournal, type Journal, type JournalEntry } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { startMctl } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';

const calls: Partial<JournalEntry>[] = [
	{ name: 'files__read', client: 'claude', ms: 5 },
	{ name: 'files__write', client: 'cursor', ms: 900, outcome: 'failed' },
	{ name: 'db__drop', client: 'claude', ms: 70 },
];

it('shows some calls: of a tool, of a client, that failed, the slowest, the last', async () => {
	const place = openHubPlace({});
	await journalOf(place, calls).close();
	const shown = async (...flags: string[]): Promise<string[]> => {
		const { stdout } = await place.run('log', '--json', ...flags);
		return JSON.parse(stdout).calls.map(({ name }: { name: string }) => name);
	};
	const answers = [
		['--tool', 'files__*', '--client', 'cla*'],
		['--client', 'cursor'],
		['--failed', '--since', '1h'],
		['--slowest', '2'],
		['--lines', '1'],
	].map((flags) => shown(...flags));
	expect(await Promise.all(answers)).toEqual([
		['files__read'],
		['files__write'],
		['files__write'],
		['files__write', 'db__drop'],
		['db__drop'],
	]);
});

it('follows the calls of a tool with -f, until Ctrl-C', async () => {
	const place = openHubPlace({});
	const journal = journalOf(place, calls);
	onTestFinished(() => journal.close());
	const args = ['log', '-f', '--tool', 'files__*', '--json'];
	const child = startMctl(args, { cwd: place.cwd, env: place.env });
	onTestFinished(() => void child.kill('SIGKILL'));
	let seen = '';
	child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
	const names = (): string[] =>
		seen.split('\n').flatMap((line) => (line === '' ? [] : [String(JSON.parse(line).name)]));
	await until('the calls so far are shown', () => names().length === 2);
	for (const name of ['db__read', 'files__list']) write(journal, { name });
	await until('the new call is shown', () => names().length === 3);
	expect(names()).toEqual(['files__read', 'files__write', 'files__list']);
	child.kill('SIGINT');
	const [code] = await once(child, 'exit');
	expect([0, 130]).toContain(code);
});

function journalOf({ folder }: HubPlace, entries: readonly Partial<JournalEntry>[]): Journal {
	const journal = fileJournal(folder.journalFile, Log.silent);
	for (const entry of entries) write(journal, entry);
	return journal;
}

function write(journal: Journal, entry: Partial<JournalEntry>): void {
	const call = { client: 'c', backend: 'b', method: 'tools/call', name: 't', ms: 1, outcome: 'ok' } as const;
	journal.write({ ...call, startedAt: new Date(), ...entry });
}
