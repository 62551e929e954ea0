/*
 * Ask the operating system whether the stdout of this process still has a reader.
 *
 * A closed stdout is otherwise noticed only at the next write. Nothing is written here:
 *   a socket (the pipes of a Node parent are sockets)  a write of zero bytes fails with EPIPE
 *   a pipe on Linux                                    poll(2) reports POLLERR; such a write succeeds there
 *   a pipe on macOS and the BSDs                       their pipe code checks for a reader before it looks at the size
 *   a terminal                                         SIGHUP reports its end
 * The only poll(2) that Node has is the one of `node:wasi`. A named FIFO is left
 * alone: its next reader may be about to open it. When in doubt, there is a reader.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { WASI } from 'node:wasi';

/** Node has it, but its types belong to the DOM library. */
declare const WebAssembly: { Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };

const STDOUT = 1;
/** How long poll(2) waits on a full pipe. Any short time will do: an error is reported at once. */
const POLL_NANOSECONDS = 20_000_000n;

/*
 * `poll_oneoff` of WASI takes an array of subscriptions of 48 bytes and fills an array
 * of events of 32 bytes; every offset below is of these two structures.
 */
const [FIRST, SECOND, EVENTS, COUNT] = [0, 48, 96, 160];
const WRITABLE = 2;
const MONOTONIC = 1;

/** The other end of the stdout of this process. */
export class StdoutReader {
	readonly #descriptor: number;
	/** The memory for the arguments of poll(2); made once, because each reserves much address space. */
	#memory: { readonly buffer: ArrayBuffer } | undefined;

	/** @param descriptor of the output; for tests */
	constructor(descriptor: number = STDOUT) {
		this.#descriptor = descriptor;
	}

	/** True when nothing can read stdout any more. */
	get isGone(): boolean {
		if (process.platform === 'win32') return false;
		try {
			const stat = fstatSync(this.#descriptor);
			if (stat.isFIFO() && process.platform === 'linux') return this.#isPipeUnread();
			if (stat.isSocket() || stat.isFIFO()) writeSync(this.#descriptor, new Uint8Array(0));
			return false;
		} catch (thrown) {
			return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPIPE';
		}
	}

	#isPipeUnread(): boolean {
		const path = `/proc/self/fd/${this.#descriptor}`;
		if (!readlinkSync(path).startsWith('pipe:')) return false;
		// A descriptor of its own: polling makes it non-blocking, and libuv watches descriptor 1 already.
		const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
		try {
			return this.#hasPollError(descriptor);
		} finally {
			closeSync(descriptor);
		}
	}

	/** poll(2) of one descriptor for writing: true when the event is an error. */
	#hasPollError(descriptor: number): boolean {
		const { WASI: Wasi } = loadWasi();
		const wasi = new Wasi({ version: 'preview1', stdin: descriptor, stdout: descriptor, stderr: descriptor });
		this.#memory ??= new WebAssembly.Memory({ initial: 1 });
		wasi.initialize({ exports: { memory: this.#memory } });
		const view = new DataView(this.#memory.buffer);
		view.setUint8(FIRST + 8, WRITABLE);
		view.setUint32(FIRST + 16, STDOUT, true);
		view.setUint32(SECOND + 16, MONOTONIC, true);
		view.setBigUint64(SECOND + 24, POLL_NANOSECONDS, true);
		const poll: unknown = Reflect.get(wasi.wasiImport, 'poll_oneoff');
		if (typeof poll !== 'function' || poll(FIRST, EVENTS, 2, COUNT) !== 0) return false;
		for (let index = 0; index < view.getUint32(COUNT, true); index++) {
			const event = EVENTS + index * 32;
			if (view.getUint8(event + 10) === WRITABLE) return view.getUint16(event + 8, true) !== 0;
		}
		return false;
	}
}

/** Load `node:wasi` without the warning that it is experimental: stderr is shown to users. */
function loadWasi(): { WASI: typeof WASI } {
	const descriptor = Object.getOwnPropertyDescriptor(process, 'emitWarning');
	process.emitWarning = () => {};
	try {
		return createRequire(import.meta.url)('node:wasi');
	} finally {
		Reflect.deleteProperty(process, 'emitWarning');
		if (descriptor) Object.defineProperty(process, 'emitWarning', descriptor);
	}
}
