import { describe, expect, it } from 'vitest';
import { openHttpTransport, parseServerUrl } from '../../../src/transport/http/open-http-transport.ts';

describe('the URL of a server', () => {
	it.each([
		['https://example.com/mcp', 'https://example.com/mcp'],
		['unix:///run/a.sock', 'http://localhost/'],
		['unix:///run/a%20b.sock#/mcp?x=1', 'http://localhost/mcp?x=1'],
		['unix:///run/100%.sock', 'http://localhost/'],
	])('%s is requested as %s', async (text, href) => {
		expect(parseServerUrl(text).href).toBe(href);
		await (await openHttpTransport(text)).close();
	});

	it.each(['', 'ftp://example.com', 'unix://host/a.sock', 'unix:///', 'unix:'])('%s is refused', (text) => {
		expect(() => parseServerUrl(text)).toThrow(/must begin with http:\/\/, https:\/\/ or unix:\/\/\//);
	});

	it.each(['https://user@example.com/', 'https://:secret@example.com/'])('%s has credentials', (text) => {
		expect(() => parseServerUrl(text)).toThrow(/must not contain a user name or a password/);
	});
});
