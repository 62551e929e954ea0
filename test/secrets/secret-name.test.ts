import { expect, test } from 'vitest';
import { redact } from '../../src/redact.ts';
import { registerHeader, registerNamedSecret, registerVariable } from '../../src/secrets/secret-name.ts';

test.each([
	['API_KEY', 'k3y-value-of-one'],
	['DB_PASSWORD', 'pass word with spaces'],
	['SLACK_WEBHOOK_URL', 'https://hooks.example.com/services/T0/B0/xyz'],
	['githubToken', 'lowercaselettersonly'],
	['AZDO_PAT', 'fiftytwolettersofapersonalaccesstoken'],
])('%s is a secret', (name, value) => {
	registerNamedSecret(name, value);
	expect(redact(`<${value}>`)).toBe('<•••>');
});

test.each([
	['AUTH_MODE', 'client-certificate'],
	['AUTH_TYPE', 'some-auth-type'],
	['USE_AUTH', 'disabled'],
	['KEY_FILE', '/etc/ssl/key.pem'],
	['TOKEN_URL', 'https://login.example.com/token'],
	['REGION', 'eu-central-one'],
])('%s is none', (name, value) => {
	registerNamedSecret(name, value);
	expect(redact(value)).toBe(value);
});

test.each([
	['GH_PAT', 'pat-value-0001'],
	['DB_CONN', 'postgres-user:pw1@db.example.com'],
	['WHATEVER', 'lowercaseandlongenough'],
])('a variable is a secret whatever its name: %s', (name, value) => {
	registerVariable(name, value);
	expect(redact(`<${value}>`)).toBe('<•••>');
});

test.each([
	['HOME', '/nowhere/at-all'],
	['XDG_STATE_HOME', '/nowhere/at-all/state'],
	['SEARCH_URL', 'https://search.example.com/mcp'],
	['PROJECT', import.meta.dirname],
	['REGION', 'euwest'],
	['PORT', '123456789'],
])('%s is no secret variable', (name, value) => {
	registerVariable(name, value);
	expect(redact(value)).toBe(value);
});

test('a header is a secret by its name or its form, with its scheme and without it', () => {
	registerHeader('Authorization', 'Custom header-value-1');
	registerHeader('X-Tenant', 'abcdefghij0123456789abcd');
	registerHeader('X-Region', 'eu-central-two');
	expect(redact('header-value-1 abcdefghij0123456789abcd eu-central-two')).toBe('••• ••• eu-central-two');
});
