/*
 * Bytes in a result, for a user at a terminal: an image is drawn where the terminal can,
 * else the bytes are saved and the path is printed.
 *
 * Two protocols: that of kitty (PNG only, in chunks) and that of iTerm2. Which one is chosen
 * by the variables of the terminal; it is not queried, because its answer would arrive on
 * stdin. A multiplexer such as tmux swallows both, so nothing is drawn in it.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { DRAWN_LIMIT_BYTES, KITTY_CHUNK_CHARACTERS } from '../cli-limits.ts';
import { type BinaryContent, binaryOf, contentText } from './content-text.ts';
import type { Output } from './output.ts';

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** The types that are drawn, and the extension of each type in a saved file's name; a name from outside is not used. */
const imageExtensions: ReadonlyMap<string, string> = new Map([
	['image/png', 'png'],
	['image/jpeg', 'jpg'],
	['image/gif', 'gif'],
	['image/webp', 'webp'],
	['image/bmp', 'bmp'],
]);

const otherExtensions: ReadonlyMap<string, string> = new Map([
	['image/svg+xml', 'svg'],
	['audio/wav', 'wav'],
	['audio/mpeg', 'mp3'],
	['audio/ogg', 'ogg'],
	['application/pdf', 'pdf'],
	['application/zip', 'zip'],
	['application/gzip', 'gz'],
]);

/** Show the image, audio or file of a block to a user at a terminal. False when it is none, or stdout is no terminal. */
export function showBytes(block: unknown, out: Output, environment: Readonly<NodeJS.ProcessEnv>): boolean {
	const binary = out.isTerminal ? binaryOf(block) : undefined;
	if (binary === undefined) return false;
	const sequences = drawnImage(binary, environment);
	if (sequences !== undefined) out.draw(sequences);
	const about = contentText(block);
	out.foreign(sequences === undefined ? `${about} ${savedText(binary, environment)}` : about);
	return true;
}

/** The sequences that draw an image, all of their payload base64; undefined when this terminal cannot. */
function drawnImage(
	{ mimeType, bytes }: BinaryContent,
	environment: Readonly<NodeJS.ProcessEnv>,
): string | undefined {
	if (!imageExtensions.has(mimeType) || bytes.length > DRAWN_LIMIT_BYTES) return undefined;
	switch (protocolOf(environment)) {
		case 'kitty':
			return bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)
				? kittySequences(bytes)
				: undefined;
		case 'iterm':
			return `\u001B]1337;File=inline=1;size=${bytes.length}:${bytes.toString('base64')}\u0007\n`;
		default:
			return undefined;
	}
}

function protocolOf({
	TERM = '',
	TERM_PROGRAM = '',
	KITTY_WINDOW_ID = '',
	TMUX = '',
}: Readonly<NodeJS.ProcessEnv>): 'kitty' | 'iterm' | undefined {
	if (TMUX !== '' || TERM === 'dumb' || /^(?:tmux|screen)/.test(TERM)) return undefined;
	if (KITTY_WINDOW_ID !== '' || /^xterm-(?:kitty|ghostty)$/.test(TERM)) return 'kitty';
	return /^(?:iTerm\.app|WezTerm)$/.test(TERM_PROGRAM) ? 'iterm' : undefined;
}

/** `q=2`: the terminal answers nothing. */
function kittySequences(bytes: Buffer): string {
	const encoded = bytes.toString('base64');
	const sequences: string[] = [];
	for (let at = 0; at < encoded.length; at += KITTY_CHUNK_CHARACTERS) {
		const isLast = at + KITTY_CHUNK_CHARACTERS >= encoded.length;
		const keys = `${at === 0 ? 'a=T,f=100,q=2,' : ''}m=${isLast ? 0 : 1}`;
		sequences.push(`\u001B_G${keys};${encoded.slice(at, at + KITTY_CHUNK_CHARACTERS)}\u001B\\`);
	}
	return `${sequences.join('')}\n`;
}

/** Bytes that cannot be saved are no reason to fail: the tool has run. */
function savedText(binary: BinaryContent, environment: Readonly<NodeJS.ProcessEnv>): string {
	try {
		return `saved as ${saveBytes(binary, environment)}`;
	} catch (error) {
		return `not saved: ${messageOf(error)}`;
	}
}

/** Save bytes in a new folder of the temporary folder that only this user can open. Returns the path. */
function saveBytes(
	{ what, mimeType, bytes }: BinaryContent,
	{ TMPDIR }: Readonly<NodeJS.ProcessEnv>,
): string {
	const extension = imageExtensions.get(mimeType) ?? otherExtensions.get(mimeType) ?? 'bin';
	const name = what === 'image' || what === 'audio' ? what : 'file';
	const path = join(mkdtempSync(join(TMPDIR || tmpdir(), 'mctl-')), `${name}.${extension}`);
	writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
	return path;
}
