/* The check of secret references for `mctl doctor`: each is resolved once, and no value is printed. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { resolveSecret, secretPath } from '../../secrets/resolve-secret.ts';
import { referenceText, type SecretText } from '../../secrets/secret-text.ts';
import type { DoctorContext, DoctorFinding } from './doctor-checks.ts';

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
			const { message, hint } = OrchestraError.from(error);
			yield { verdict: 'fail', text: `${what}: ${message}`, fix: hint ?? `Correct ${text.key}.` };
		}
		for (const { kind, argument } of references) {
			const file = secretPath(argument, dirname(text.file), environment['HOME'] || homedir());
			if (kind !== 'file' || !isOpen(file)) continue;
			yield { verdict: 'warn', text: `${file} can be read by other users`, fix: `Run: chmod 600 ${file}` };
		}
	}
}

function secretsOf({ mcpServers, plugins, search }: Configuration): { what: string; text: SecretText }[] {
	const servers = mcpServers
		.filter(({ isEnabled }) => isEnabled)
		.flatMap((server) => {
			const oauth = server.kind === 'stdio' ? undefined : server.oauth;
			const strings = [server.secrets, oauth?.secrets, oauth?.identityProvider?.secrets].flatMap((each) =>
				Object.values(each ?? {}),
			);
			return strings.map((text) => ({ what: `server ${server.name}`, text }));
		});
	const others = plugins
		.filter(({ isEnabled }) => isEnabled)
		.flatMap(({ id, secretEnv, secretConfig }) =>
			[...Object.values(secretEnv ?? {}), ...Object.values(secretConfig ?? {})].map((text) => ({
				what: `plugin ${id}`,
				text,
			})),
		);
	const key = search.embeddings?.key;
	const keys = typeof key === 'object' ? [{ what: 'search', text: key }] : [];
	return [...servers, ...others, ...keys];
}

function isOpen(file: string): boolean {
	const found = process.getuid && statSync(file, { throwIfNoEntry: false });
	return found !== undefined && (found.mode & READABLE_BY_OTHERS) !== 0;
}
