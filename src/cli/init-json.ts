/* The answer of `mctl init --json`. */
import type { FoundServer } from '../config/clients/import-plan.ts';
import type { MovePlan } from '../config/clients/move-plan.ts';
import { clientsOf, clientTitle, diffOf, verdictOf } from './init-report.ts';
import type { MoveIn } from './move-in.ts';

/** What was chosen, and what became of it. */
export interface MoveResult {
	readonly plan: MovePlan;
	readonly chosen: readonly FoundServer[];
	readonly warnings: readonly string[];
	readonly isDryRun: boolean;
}

/** One object: the servers that were found, the files that changed or would change, what to look at. */
export function moveObject(
	{ survey, found }: MoveIn,
	{ plan, chosen, warnings, isDryRun }: MoveResult,
): object {
	return {
		schema: 'orchestra.init/1',
		isDryRun,
		servers: found.map((server) => ({
			name: server.name,
			original: server.original,
			entries: verdictOf(server),
			clients: clientsOf(server),
			isChosen: chosen.includes(server),
		})),
		files: plan.files.map((file) => ({
			path: file.path,
			client: clientTitle(survey, file.path),
			isNew: file.before === undefined,
			...(isDryRun && { diff: `${diffOf(file, found).join('\n')}\n` }),
		})),
		warnings: [...warnings, ...plan.refused.map(({ message }) => message)],
	};
}
