/* What is written: lines, private files, rotation, secrets; and what is read of a recording from anywhere. */

import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { conversationOf, exchangesOf } from '../../src/record/exchanges.ts';
import { readRecordings } from '../../src/record/read-recording.ts';
import { READ_BYTES, RECORDED_MESSAGE_BYTES, RECORDINGS_LIMIT } from '../../src/record/record-limits.ts';
import { Recorder } from '../../src/record/recorder.ts';
import { listRecordings, recordingsOfCall } from '../../src/record/recording-files.ts';
import { addSecret } from '../../src/redact.ts';
import { thrownBy } from '../support/programs.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('Recorder', () => {
	it('writes each message as it was written, with digits and the order of keys', () => {
		const message = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"b":12345678901234567890,"a": 1.0}}';
		const { text } = record([['client', message]]);
		expect(text.split('\n')[1]).toMatch(/^\{"at":[\d.]+,"from":"client","message":\{/);
		expect(text).toContain(message);
	});

	it('leaves out what is no message, and replaces secrets', () => {
		addSecret('correct-horse-battery');
		const said = '{"id":1,"result":{"text":"my correct-horse-battery!"}}';
		const { text } = record([
			['server', 'Listening on stdio'],
			['server', '7'],
			['server', said],
		]);
		expect(text.trim().split('\n')).toHaveLength(2);
		expect(text).toContain('"text":"my •••!"');
	});

	it('makes no file without a message', () => {
		expect(record([]).files).toEqual([]);
	});

	it('writes private files in a private folder', () => {
		const { folder, files } = record([['client', '{"id":1}']]);
		expect(statSync(folder).mode & 0o777).toBe(0o700);
		expect(statSync(join(folder, files[0] ?? '')).mode & 0o777).toBe(0o600);
	});

	it('continues in another file that can be replayed alone, and keeps a bounded number of them', () => {
		const messages: Said[] = [
			['client', request(1, 'initialize')],
			['server', '{"jsonrpc":"2.0","id":1,"result":{"it":"is ready"}}'],
			['client', '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
			['client', request('open', 'tools/call')],
		];
		for (let id = 2; id < 400; id++) {
			messages.push(['client', request(id, 'tools/call')]);
			messages.push(['server', `{"jsonrpc":"2.0","id":${id},"result":{"fill":"${'x'.repeat(200)}"}}`]);
		}
		messages.push(['server', '{"jsonrpc":"2.0","id":"open","result":{"it":"took long"}}']);
		const { folder, files } = record(messages, 2000);
		expect(files).toHaveLength(RECORDINGS_LIMIT);
		expect(record(messages, 2000, 'x', undefined, true).files.length).toBeGreaterThan(RECORDINGS_LIMIT);
		for (const name of files) expect(statSync(join(folder, name)).size).toBeLessThan(3000);
		const [newest] = listRecordings(folder);
		const exchanges = exchangesOf(readRecordings(newest?.file ?? ''));
		expect(exchanges[0]).toMatchObject({ method: 'initialize', answer: { text: '{"it":"is ready"}' } });
		const open = exchanges.find(({ id }) => id === '"open"');
		expect(open?.answer?.text).toBe('{"it":"took long"}');
		const ids = exchangesOf(readRecordings(folder)).map(({ id }) => id);
		expect(ids.filter((id) => id === '"open"')).toHaveLength(1);
	});

	it('leaves out a message that is too long, and says so', () => {
		const long = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(RECORDED_MESSAGE_BYTES)}"}`;
		const { folder } = record([
			['client', request(1, 'tools/call')],
			['server', long],
		]);
		const [recording] = readRecordings(folder);
		expect(recording && conversationOf(recording).exchanges[0]).toMatchObject({
			omittedBytes: long.length,
			answer: undefined,
		});
	});

	it('ends with a warning when the file cannot be written', () => {
		const warned: string[] = [];
		const folder = join(temporaryFolder(), 'gone');
		const recorder = new Recorder({ folder, server: 'x', log: { warn: (line) => warned.push(line) } });
		rmSync(folder, { recursive: true });
		recorder.record('client', '{"id":1}');
		recorder.close();
		recorder.record('client', '{"id":2}');
		expect(warned).toEqual([expect.stringContaining('the recording of x ends here: ENOENT')]);
	});
});

describe('listRecordings', () => {
	it('finds those of a server, and those that may have a call', () => {
		const { folder } = record([['client', '{"id":1}']], undefined, 'a.b/c');
		record([['client', '{"id":1}']], undefined, 'other', folder);
		const [found, ...more] = listRecordings(folder, 'a.b/c');
		expect([found?.server, more]).toEqual(['a.b/c', []]);
		expect(listRecordings(folder)).toHaveLength(2);
		const startedAt = found?.startedAt ?? new Date(0);
		expect(recordingsOfCall(folder, { server: 'a.b/c', startedAt, ms: 1 })).toHaveLength(1);
		const before = new Date(startedAt.getTime() - 1000);
		expect(recordingsOfCall(folder, { server: 'a.b/c', startedAt: before, ms: 1 })).toEqual([]);
		expect(listRecordings(join(folder, 'nowhere'))).toEqual([]);
	});
});

describe('a recording from anywhere', () => {
	const header = '{"recording":1,"server":"x","startedAt":"2026-01-02T03:04:05.000Z"}\n';
	it.each([
		['that is empty', '', ':1: it is not the first line of a recording'],
		['of another kind', 'hello\n', ':1: it is not the first line of a recording'],
		['of a later version', '{"recording":2}\n', 'version 2, and this program reads version 1'],
		['without a server', '{"recording":1}\n', 'server or startedAt is missing'],
		['with a garbled line', `${header}{"at":1,"fro\n`, ':2: it is not a JSON object'],
		['with a wrong sender', `${header}{"at":1,"from":"me","message":{}}\n`, ':2: at or from is missing'],
		['without a message', `${header}{"at":1,"from":"client"}\n`, ':2: message is not a JSON object'],
		['whose last line is cut', `${header}{"at":1,"from":"client","mess`, ':2: the last line is cut'],
		['with an endless message', `${header}${'['.repeat(1e6)}${']'.repeat(1e6)}\n`, ':2: it is not'],
	])('%s is refused with the reason', async (_, text, reason) => {
		const file = join(temporaryFolder(), 'it.ndjson');
		writeFileSync(file, text);
		const error = await thrownBy(() => readRecordings(file));
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		expect(String(error)).toContain(reason);
	});

	it('that is huge, missing or a folder without any is refused', async () => {
		const folder = temporaryFolder();
		const file = join(folder, 'huge.ndjson');
		writeFileSync(file, '');
		truncateSync(file, READ_BYTES + 1);
		expect(await thrownBy(() => readRecordings(file))).toMatchObject({ code: 'bad_input' });
		expect(await thrownBy(() => readRecordings(folder))).toMatchObject({ code: 'bad_input' });
		expect(await thrownBy(() => readRecordings(join(folder, 'no')))).toMatchObject({ code: 'bad_input' });
		expect(await thrownBy(() => readRecordings(temporaryFolder()))).toMatchObject({ code: 'bad_input' });
	});

	it('never fails otherwise, whatever its messages are', () => {
		const message = fc.oneof(
			fc.jsonValue(),
			fc.record({ id: fc.jsonValue(), method: fc.jsonValue(), params: fc.jsonValue() }),
		);
		const line = fc.record({ at: fc.nat(), from: fc.constantFrom('client', 'server'), message });
		const folder = temporaryFolder();
		fc.assert(
			fc.property(fc.array(line), (all) => {
				const file = join(folder, 'it.ndjson');
				writeFileSync(file, `${header}${all.map((each) => `${JSON.stringify(each)}\n`).join('')}`);
				try {
					for (const recording of readRecordings(file)) conversationOf(recording);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});
});

type Said = ['client' | 'server', string];

function record(
	messages: readonly Said[],
	limitBytes?: number,
	server = 'x',
	folder = join(temporaryFolder(), 'recordings'),
	keepsAll = false,
): { folder: string; files: string[]; text: string } {
	const log = { warn: (line: string) => expect.fail(line) };
	const recorder = new Recorder({ folder, server, limitBytes, keepsAll, log });
	for (const [from, text] of messages) recorder.record(from, text);
	recorder.close();
	const files = readdirSync(folder);
	return { folder, files, text: files.map((name) => readFileSync(join(folder, name), 'utf8')).join('') };
}

function request(id: number | string, method: string): string {
	return JSON.stringify({ jsonrpc: '2.0', id, method, params: { name: 'it', arguments: { id } } });
}
