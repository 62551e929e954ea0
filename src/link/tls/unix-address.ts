/*
 * `unix:/path/to.sock`: a link between two processes of one user on one machine.
 *
 *     listen({ address: 'unix:/run/user/1000/orchestra/hub.sock', identity, onStream })
 *     dial({ address: 'unix:/run/user/1000/orchestra/hub.sock', identity, peerName: 'orchestrator' })
 *
 * The same frames and mutual TLS 1.3 as over TCP, on a Unix domain socket (on Windows
 * a named pipe, `unix:\\.\pipe\name`). The kernel closes the sockets of a killed
 * process, so the other side gets the end at once.
 */
import { isAbsolute } from 'node:path';
import { OrchestraError } from '../../errors.ts';

const PREFIX = 'unix:';
/** Size of the kernel's `sun_path` without the final zero byte. Longer paths are truncated silently. */
const LONGEST_PATH_BYTES: number = process.platform === 'linux' ? 107 : 103;

export function isUnixAddress(address: string): boolean {
	return address.startsWith(PREFIX);
}

/** The path in `unix:/path`. Throws `bad_input` for a relative path or one over the limit of the system. */
export function unixPath(address: string): string {
	const path = address.slice(PREFIX.length);
	if (!isUnixAddress(address) || !isAbsolute(path) || path.includes('\0')) {
		throw new OrchestraError('bad_input', `"${address}" is not the address of a Unix socket`, {
			hint: 'Write unix: and an absolute path, for example unix:/run/user/1000/hub.sock.',
		});
	}
	const lengthBytes = Buffer.byteLength(path);
	if (process.platform !== 'win32' && lengthBytes > LONGEST_PATH_BYTES) {
		throw new OrchestraError(
			'bad_input',
			`the path of the Unix socket ${path} has ${lengthBytes} bytes; the system allows ${LONGEST_PATH_BYTES}`,
			{
				hint: 'Choose a shorter folder, for example below XDG_RUNTIME_DIR.',
				data: { path, lengthBytes, limitBytes: LONGEST_PATH_BYTES },
			},
		);
	}
	return path;
}

export function unixAddress(path: string): string {
	return `${PREFIX}${path}`;
}
