/*
 * A sign-in from a terminal: the page opens in a browser and is printed as well. On a
 * machine without a browser the user opens it elsewhere and pastes the address that
 * the last page has, which is that of the redirect.
 */

import type { Readable } from 'node:stream';
import { openBrowser } from '../../oauth/open-browser.ts';
import type { Interaction } from '../../oauth/sign-in.ts';
import { TextLines } from '../../wire/text-lines.ts';
import { PASTED_LINE_CHARACTERS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';

export function terminalSignIn({ out, stdin, environment }: CommandInput): Interaction {
	return {
		async showPage(url) {
			const isOpen = await openBrowser(url, environment);
			out.warn(isOpen ? 'A browser opens this page to sign in:' : 'Open this page to sign in:');
			out.warn(`  ${url}`);
			out.warn('If the last page cannot be shown, paste its address here.');
		},
		readPasted: (deliver) =>
			readLines(stdin(), (line) => {
				if (line.trim() === '' || deliver(line.trim())) return;
				out.warn(
					'That is not the address of this sign-in: it starts with the redirect URI and holds a `state`.',
				);
			}),
	};
}

/** Calls `onLine` with each line of stdin; the returned function stops it. */
function readLines(stdin: Readable, onLine: (line: string) => void): () => void {
	const lines = new TextLines(PASTED_LINE_CHARACTERS);
	const onData = (chunk: Buffer): void => {
		for (const line of lines.push(chunk)) onLine(line);
	};
	stdin.on('data', onData);
	stdin.on('error', () => {}); // a closed terminal: the browser can still answer
	return () => {
		stdin.off('data', onData);
		stdin.destroy(); // else an open terminal keeps the process alive
	};
}
