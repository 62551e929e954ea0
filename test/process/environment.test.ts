import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/process/environment.ts';

describe('childEnvironment', () => {
	it('inherits what a program needs and nothing else', () => {
		const parent = {
			PATH: '/bin',
			HOME: '/h',
			LC_ALL: 'C',
			https_proxy: 'p',
			NO_PROXY: 'n',
			NODE_EXTRA_CA_CERTS: '/ca.pem',
			SSL_CERT_FILE: '/ca.pem',
			SSL_CERT_DIR: '/certs',
			REQUESTS_CA_BUNDLE: '/ca.pem',
			CURL_CA_BUNDLE: '/ca.pem',
			AWS_SECRET: 's',
			NODE_OPTIONS: 'x',
		};
		expect(childEnvironment(parent, { TOKEN: 't' }, 'linux')).toEqual({
			PATH: '/bin',
			HOME: '/h',
			LC_ALL: 'C',
			https_proxy: 'p',
			NO_PROXY: 'n',
			NODE_EXTRA_CA_CERTS: '/ca.pem',
			SSL_CERT_FILE: '/ca.pem',
			SSL_CERT_DIR: '/certs',
			REQUESTS_CA_BUNDLE: '/ca.pem',
			CURL_CA_BUNDLE: '/ca.pem',
			TOKEN: 't',
		});
	});

	it('prefers the configuration and drops exported shell functions', () => {
		expect(
			childEnvironment({ PATH: '/bin', TERM: '() { :; }', USER: undefined }, { PATH: '/own' }, 'linux'),
		).toEqual({ PATH: '/own' });
	});

	it('matches the names of Windows case-insensitively', () => {
		const parent = { Path: 'C:\\', SystemRoot: 'C:\\Windows', HOME: 'no', SECRET: 's' };
		expect(childEnvironment(parent, {}, 'win32')).toEqual({ Path: 'C:\\', SystemRoot: 'C:\\Windows' });
	});
});
