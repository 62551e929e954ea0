/* The variables that name certificate authorities, for programs behind a proxy of a company: Node, OpenSSL, Python, curl. */
import { delimiter } from 'node:path';

export const certificateNames: readonly string[] = [
	'SSL_CERT_FILE',
	'SSL_CERT_DIR',
	'NODE_EXTRA_CA_CERTS',
	'REQUESTS_CA_BUNDLE',
	'CURL_CA_BUNDLE',
];

/** A file or folder that a variable names. */
export interface CertificatePath {
	readonly name: string;
	readonly path: string;
}

/** The absolute paths in these variables; `SSL_CERT_DIR` may have several. */
export function certificatePaths(environment: Readonly<NodeJS.ProcessEnv>): CertificatePath[] {
	return certificateNames.flatMap((name) => {
		const value = environment[name] ?? '';
		const paths = name === 'SSL_CERT_DIR' ? value.split(delimiter) : [value];
		return paths.filter((path) => path.startsWith('/')).map((path) => ({ name, path }));
	});
}
