/*
 * The sections of a project file that is not trusted, and how they count.
 *
 * Only what is listed here has an effect; all else is as if the file did not have it. It
 * counts after the user's own configuration, so it fills gaps and overrides nothing.
 */
import { isInside } from '../../files/is-inside.ts';
import type { ToolsSection } from '../configuration.ts';
import type { FieldSource } from '../field.ts';
import type { ConfigProblem } from '../problem.ts';
import { type FileSections, sectionNames } from '../sections.ts';
import { childLimitKeys } from './project-effects.ts';

/** Sections that have an effect. */
const kept = ['tools', 'library', 'limits', 'policy', 'toolList', 'views', 'clients'];

/** Read a file that is not trusted: its variables are not expanded, and the hub asks nobody for them. */
export function readUntrusted(
	source: FieldSource,
	read: (source: FieldSource) => FileSections,
	{ root, empty }: { root: string; empty: FileSections },
): FileSections {
	const { HOME } = source.environment;
	const problems: ConfigProblem[] = [];
	const sections = read({
		...source,
		environment: { HOME },
		environmentName: 'the environment of a file that is not trusted, which has only HOME',
		unset: new Set(),
		problems,
	});
	source.problems.push(...problems.filter(({ key }) => hasEffect(key)));
	return untrustedSections(sections, root, empty);
}

/** Whether a problem of this key matters. That of a key that nobody knows does: it may be a mistyped one. */
function hasEffect(key: string): boolean {
	const [section = ''] = key.split('.');
	return !key.startsWith('tools.config') && (kept.includes(section) || !sectionNames.includes(section));
}

/** What is left of the sections; `empty` has the defaults. `root` is the folder of the project. */
function untrustedSections(sections: FileSections, root: string, empty: FileSections): FileSections {
	const { tools, library, limits, policy, toolList, views, clients } = sections;
	const { sandbox, sandboxes, limits: toolLimits } = tools;
	const inside = (path: string | undefined): string | undefined =>
		path !== undefined && isInside(path, root) ? path : undefined;
	return {
		...empty,
		tools: {
			...empty.tools,
			roots: tools.roots?.filter((path) => isInside(path, root)),
			examples: tools.examples,
			untrustedFolder: root,
			...(sandbox && { sandbox }),
			...(sandboxes && { sandboxes }),
			...(toolLimits && { limits: toolLimits }),
		},
		library: { prompts: inside(library.prompts), resources: inside(library.resources) },
		limits: Object.fromEntries(Object.entries(limits).filter(([key]) => childLimitKeys.has(key))),
		policy: policy.map((rules) => rules.filter(({ action }) => action !== 'allow')),
		toolList,
		views,
		clients,
	};
}

/** Without what would weaken the sandbox and the limits of `trusted`: an entry for one tool counts before that for all. */
export function yieldingTo(trusted: FileSections, untrusted: FileSections): FileSections {
	const { sandboxes, limits, ...tools } = untrusted.tools;
	const hasLimits = Object.keys(trusted.limits).some((key) => childLimitKeys.has(key));
	const kept: ToolsSection = {
		...tools,
		...(sandboxes && trusted.tools.sandbox === undefined && { sandboxes }),
		...(limits && !hasLimits && { limits }),
	};
	return { ...untrusted, tools: kept };
}
