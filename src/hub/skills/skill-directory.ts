/* The folders of skills, from the lists of their files. */
import { extensionOf, mimeTypes } from '../../library/files/fragment.ts';
import { pageOf } from '../../mcp/server/paging.ts';
import type { ReadDirectoryParams } from '../../mcp/server/provider.ts';
import type { Resource, Result, Skill } from '../../protocol/mcp-types.ts';

const FOLDER = 'inode/directory';
const SKILL_FILE = '/SKILL.md';

/** The folder of a skill, without a slash at its end. */
export function skillFolderOf({ uri }: Pick<Skill, 'uri'>): string {
	return uri.endsWith(SKILL_FILE) ? uri.slice(0, -SKILL_FILE.length) : uri;
}

/** The direct entries of a folder of these skills, sorted; undefined when there is no such folder, or only its server knows. */
export function directoryOf(skills: readonly Skill[], folder: string): readonly Resource[] | undefined {
	const isInside = (skill: Skill): boolean => `${folder}/`.startsWith(`${skillFolderOf(skill)}/`);
	if (skills.some((skill) => skill.resources === 'dynamic' && isInside(skill))) return undefined;
	const children = new Map<string, Resource>();
	for (const skill of skills) {
		const files = skill.resources === 'dynamic' ? [{ uri: skill.uri, size: undefined }] : skill.resources;
		for (const { uri, size } of files) {
			if (!uri.startsWith(`${folder}/`)) continue;
			const [name = '', ...deeper] = uri.slice(folder.length + 1).split('/');
			const child = `${folder}/${name}`;
			children.set(
				child,
				deeper.length > 0 ? { uri: child, name, mimeType: FOLDER } : fileOf(child, name, size),
			);
		}
	}
	return children.size === 0 ? undefined : [...children.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** The answer to `resources/directory/read`: a page of the folder. */
export function directoryPage(children: readonly Resource[], { cursor }: ReadDirectoryParams): Result {
	const { items, ...rest } = pageOf(children, cursor, ({ uri }) => uri);
	return { resources: items, ...rest };
}

function fileOf(uri: string, name: string, size: number | undefined): Resource {
	const mimeType = mimeTypes[extensionOf(name)];
	return { uri, name, ...(mimeType && { mimeType }), ...(size !== undefined && { size }) };
}
