/* The check of secret references for `mctl doctor`: each is resolved once, and no value is printed. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { resolveSecret, secretPath } from '../../secrets/resolve-secret.ts';
import { referenceText, type SecretStrings, type SecretText } from '../../secrets/secret-text.ts';
import type { DoctorContext, DoctorFinding } from './doctor-checks.ts';
import { failure } from './failure.ts';

/** Mode bits for read access of group and others. */
const READABLE_BY_OTHERS = 0o044;

/** Resolve every reference of the enabled entries. */
export async function* checkSecrets({ project, environment }: DoctorContext): AsyncGenerator<DoctorFinding> {
	for (const { what, text } of secretsOf(project.configuration)) {
		const references = text.parts.filter((part) => typeof part !== 'string');
		const shown = references.map(referenceText).join(', ');
		try {
			await resolveSecret(text, { environment });
			yield { verdict: 'ok', text: `${what}: ${text.key} is there (${shown})` };
		} catch (error) {
			yield failure(error, `${what}: `, `Correct ${text.key}.`);
		}
		for (const { kind, argument } of references) {
			const file = secretPath(argument, dirname(text.file), environment['HOME'] || homedir());
			if (kind !== 'file' || !isOpen(file)) continue;
			yield { verdict: 'warn', text: `${file} can be read by other users`, fix: `Run: chmod 600 ${file}` };
		}
	}
}

function secretsOf({ mcpServers, plugins, search }: Configuration): { what: string; text: SecretText }[] {
	const all = (
		what: string,
		...maps: readonly (SecretStrings | undefined)[]
	): { what: string; text: SecretText }[] =>
		maps.flatMap((map) => Object.values(map ?? {}).map((text) => ({ what, text })));
	const servers = mcpServers.filter(({ isEnabled }) => isEnabled);
	const key = search.embeddings?.key;
	return [
		...servers.flatMap((server) => {
			const oauth = server.kind === 'stdio' ? undefined : server.oauth;
			return all(`server ${server.name}`, server.secrets, oauth?.secrets, oauth?.identityProvider?.secrets);
		}),
		...plugins.flatMap(({ id, isEnabled, secretEnv, secretConfig }) =>
			isEnabled ? all(`plugin ${id}`, secretEnv, secretConfig) : [],
		),
		...(typeof key === 'object' ? all('search', { key }) : []),
	];
}

function isOpen(file: string): boolean {
	const found = process.getuid && statSync(file, { throwIfNoEntry: false });
	return found !== undefined && (found.mode & READABLE_BY_OTHERS) !== 0;
}
