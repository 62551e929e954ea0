/*
 * The sections of a project file that is not trusted, and how they count.
 *
 * Only what the table of keys says has an effect; all else is as if the file did not have
 * it. It counts after the user's own configuration, so it fills gaps and overrides nothing.
 */
import { isObject } from '../../wire/json.ts';
import type { ToolsSection } from '../configuration.ts';
import type { FieldSource } from '../field.ts';
import { type AnyKeys, untrustedOf } from '../key.ts';
import type { ConfigFile } from '../merge-sections.ts';
import type { ConfigProblem } from '../problem.ts';
import { childLimitKeys } from '../sections/confinement.ts';
import { type FileSections, sections } from '../sections/sections.ts';

/** Read a file that is not trusted: its variables are not expanded, and bridges are not queried for them. */
export function readUntrusted(
	source: FieldSource,
	read: (source: FieldSource) => FileSections,
	root: string,
): FileSections {
	const { HOME } = source.environment;
	const problems: ConfigProblem[] = [];
	const found = read({
		...source,
		environment: { HOME },
		environmentName: 'the environment of a file that is not trusted, which has only HOME',
		unset: new Set(),
		problems,
	});
	source.problems.push(...problems.filter(({ key }) => hasEffect(sections, key.split('.'))));
	return untrustedOf(sections, found, root);
}

/** Whether a problem of this key matters. That of an unknown key does: it may be a mistyped one. */
function hasEffect(keys: AnyKeys, [name = '', ...rest]: readonly string[]): boolean {
	const found = Object.hasOwn(keys, name) ? keys[name] : undefined;
	if (found === undefined) return true;
	if (found.trust === undefined && found.isDivided && found.members) return hasEffect(found.members, rest);
	return found.trust !== undefined && found.trust !== 'blocked';
}

/** How tools below a project file that is not trusted are restricted, and whether their settings are blocked. */
export function untrustedTools(
	files: readonly ConfigFile[],
	root: string,
): Pick<ToolsSection, 'untrustedFolder' | 'blockedConfigFolder'> {
	const untrusted = files.filter(({ isTrusted }) => !isTrusted);
	if (untrusted.length === 0) return {};
	const isBlocked = untrusted.some(({ document }) => hasToolConfig(document.value));
	return { untrustedFolder: root, ...(isBlocked && { blockedConfigFolder: root }) };
}

function hasToolConfig(value: unknown): boolean {
	const tools = isObject(value) ? value['tools'] : undefined;
	const config = isObject(tools) ? tools['config'] : undefined;
	return isObject(config) && Object.keys(config).length > 0;
}

/** Without what would weaken the sandbox and the limits of `trusted`: an entry for one tool counts before that for all. */
export function yieldingTo(trusted: FileSections, untrusted: FileSections): FileSections {
	const { sandboxes, limits, ...tools } = untrusted.tools;
	const hasLimits = Object.entries(trusted.limits).some(
		([name, value]) => name in childLimitKeys && value !== undefined,
	);
	return {
		...untrusted,
		tools: {
			...tools,
			...(trusted.tools.sandbox === undefined && { sandboxes }),
			...(!hasLimits && { limits }),
		},
	};
}
