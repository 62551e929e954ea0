/* All revisions that are served and spoken. */
import { revision as v20241105 } from './2024-11-05/revision.ts';
import { revision as v20250326 } from './2025-03-26/revision.ts';
import { revision as v20250618 } from './2025-06-18/revision.ts';
import { revision as v20251125 } from './2025-11-25/revision.ts';
import { revision as v20260728 } from './2026-07-28/revision.ts';
import type { Revision } from './revision.ts';

const revisions: readonly Revision[] = [v20260728, v20251125, v20250618, v20250326, v20241105];

/** Every version, newest first: what a client is told when it asks for another one. */
export const supportedVersions: readonly string[] = revisions.map(({ version }) => version);

/** The versions that need no `initialize`. */
export const modernVersions: readonly string[] = versionsOf('modern');

/** The revision that an `initialize` for `version` opens: that one, else the newest legacy one. */
export function negotiate(version: unknown): Revision {
	const asked = revisions.find((revision) => revision.era === 'legacy' && revision.version === version);
	return asked ?? v20251125;
}

/** The modern revision with this version; undefined when there is none. */
export function modernRevision(version: unknown): Revision | undefined {
	return version === v20260728.version ? v20260728 : undefined;
}

function versionsOf(era: Revision['era']): string[] {
	return revisions.filter((revision) => revision.era === era).map(({ version }) => version);
}
