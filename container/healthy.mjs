/* Whether the hub of this container answers: exit code 0 or 1. Its certificate names other hosts. */
import { get } from 'node:https';

const request = get(
	'https://127.0.0.1:8460/healthz',
	{ rejectUnauthorized: false, timeout: 2500 },
	({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
);
request.on('timeout', () => request.destroy());
request.on('error', () => process.exit(1));
