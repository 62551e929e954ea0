/*
 * Patterns of tools in policies, views, `toolList.always` and the fabric.
 *
 * A user writes one text, `files__read_*`. It means a server and a tool, so it is
 * compared with both: a server cannot name its tools so that a pattern for another server
 * matches them.
 *
 * - A pattern that begins with a configured server is about that server; of `a` and
 *   `a__b`, `a__b__*` is about `a__b`.
 * - `*__read_*` is split at its first `__`: any server, and what its tools are called.
 * - Without `__`, as in `files*` or `*delete*`, a star may stand for the end of the server
 *   and the begin of the tool.
 * - `gpu__*` that begins with no configured server is about a server of this name, as of
 *   the fabric, or about servers whose names begin so: `a__*` is about `a__b` where there
 *   is no `a`.
 */
import { type NamedTool, qualifiedName, type ServerNames } from './tool-name.ts';
import { wildcard } from './wildcard.ts';

export type ToolTest = (tool: NamedTool) => boolean;

/** A test for the tools that match a pattern. */
export function toolPattern(pattern: string, servers: ServerNames): ToolTest {
	if (pattern === '*') return () => true;
	const matches = testOf(pattern, servers);
	// The name of one tool, as clients see it.
	return pattern.includes('*') ? matches : (tool) => tool.name === pattern || matches(tool);
}

/** A test for the tools that match one of the patterns. */
export function anyToolPattern(patterns: readonly string[], servers: ServerNames): ToolTest {
	const tests = patterns.map((pattern) => toolPattern(pattern, servers));
	return (tool) => tests.some((test) => test(tool));
}

function testOf(pattern: string, servers: ServerNames): ToolTest {
	const [literal = ''] = pattern.split('*', 1);
	const known = servers.find(literal);
	if (known) {
		const isOwn = wildcard(pattern.slice(known.end));
		return ({ server, tool }) => server === known.server && isOwn(tool);
	}
	const isText = wildcard(pattern);
	const ofServer = serverTest(pattern, isText);
	return ({ server, tool, name }) =>
		server === undefined ? isText(tool) || isText(name) : ofServer(server, tool);
}

/** The test for tools with a server, of a pattern that begins with none. */
function serverTest(
	pattern: string,
	isText: (text: string) => boolean,
): (server: string, tool: string) => boolean {
	const at = pattern.indexOf('__');
	// No pattern has this character, so a star has to stand for it.
	if (at === -1) return (server, tool) => isText(`${server}\0${tool}`);
	const before = pattern.slice(0, at);
	const isServer = wildcard(before);
	const isTool = wildcard(pattern.slice(at + 2));
	const isLonger = (server: string): boolean => server.includes('__') && !before.includes('*');
	return (server, tool) =>
		isLonger(server) ? isText(qualifiedName(server, tool)) : isServer(server) && isTool(tool);
}
