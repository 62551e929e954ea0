import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { commandLine } from '../../src/process/spawn-record.ts';
import { parseStdioUri } from '../../src/process/stdio-uri.ts';

describe('parseStdioUri', () => {
	it.each([
		['stdio:cat', ['cat']],
		['stdio:python3 mcp_server.py --model llama', ['python3', 'mcp_server.py', '--model', 'llama']],
		['stdio:python3%20-m%20mcp.server', ['python3', '-m', 'mcp.server']],
		['stdio:echo {"bye":true}', ['echo', '{"bye":true}']],
		['stdio:echo "a b" \'c d\'', ['echo', 'a b', 'c d']],
		['stdio:run --name="a b" --other=\'c\'', ['run', '--name=a b', '--other=c']],
		['stdio:echo "say \\"hi\\" \\\\ now"', ['echo', 'say "hi" \\ now']],
		['stdio:echo ""', ['echo', '']],
		['stdio:date +%s', ['date', '+%s']],
		['stdio:echo %FF%', ['echo', '%FF%']],
		['stdio:  cat  ', ['cat']],
		['stdio:echo %C3%A9', ['echo', 'é']],
		['stdio:echo $HOME; rm -rf x && y | z', ['echo', '$HOME;', 'rm', '-rf', 'x', '&&', 'y', '|', 'z']],
	])('reads %s', (uri, words) => {
		const { command, args = [] } = parseStdioUri(uri);
		expect([command, ...args]).toEqual(words);
	});

	it.each([
		['http://x', '"http://x" is not a stdio: URI'],
		['stdio:', 'the URI "stdio:" names no command'],
		['stdio:   ', 'the URI "stdio:   " names no command'],
		['stdio:""', 'the URI "stdio:""" names no command'],
		['stdio:echo "open', 'the URI "stdio:echo "open" has a " that is never closed'],
	])('refuses %s with a clear error', (uri, message) => {
		expect(() => parseStdioUri(uri)).toThrow(message);
	});

	it('returns arguments without spaces unchanged, or an error, for any text', () => {
		fc.assert(
			fc.property(fc.string(), (text) => {
				try {
					expect(parseStdioUri(`stdio:${text}`).command).not.toBe('');
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});
});

describe('commandLine', () => {
	it('quotes what a shell would split', () => {
		expect(commandLine({ command: 'a/b', args: ['-x', 'two words', '$y'] })).toBe("a/b -x 'two words' '$y'");
	});

	it('stays on one line and shows what is invisible', () => {
		expect(commandLine({ command: 'a', args: ['one\ntwo', '\u001b[2J'] })).toBe("a 'one\\ntwo' '\\x1b[2J'");
	});
});
