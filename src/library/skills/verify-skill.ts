/*
 * A client of skills: what was read must be what the list says.
 *
 * Each read is checked against the size and the digest of the list, SKILL.md also against the front
 * matter, and only listed files are read. A digest is no trust: it says that the bytes are those that
 * were listed, and approved, in whatever list.
 */
import { isDeepStrictEqual } from 'node:util';
import { attempt, OrchestraError } from '../../errors.ts';
import type { Result, Skill, SkillFile } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { SKILL_FILES_LIMIT, SKILL_LIMIT_BYTES } from '../files/library-limits.ts';
import { SKILL_FILE, skillDigest } from './local-skill.ts';

/** The files of a skill, without repetition. Throws when only its server knows them, or a bound is exceeded. */
export function skillFiles({ uri, resources }: Skill): readonly SkillFile[] {
	if (!Array.isArray(resources)) throw refusal(uri, 'its server does not list its files');
	const files = [...new Map(resources.map((file: SkillFile) => [file.uri, file])).values()];
	const size = files.reduce((sum, file) => sum + Math.abs(file.size), 0);
	if (files.length > SKILL_FILES_LIMIT) throw refusal(uri, `it has more than ${SKILL_FILES_LIMIT} files`);
	if (!(size <= SKILL_LIMIT_BYTES)) throw refusal(uri, `it has more than ${SKILL_LIMIT_BYTES} bytes`);
	return files;
}

/**
 * The paths of the files of a skill in its folder, by URI. Throws for a file outside of it, and for two with one place,
 * also where case does not count: the later one would replace a file that was checked.
 */
export function pathsInSkill(skill: Skill): ReadonlyMap<string, string> {
	const paths = new Map(skillFiles(skill).map(({ uri }) => [uri, pathInSkill(skill, uri)]));
	if (!paths.has(skill.uri)) throw refusal(skill.uri, 'its skill does not list it');
	const places = new Set<string>();
	for (const [uri, path] of paths) {
		const place = placeOf(path);
		if (places.has(place)) throw refusal(uri, 'another file of its skill has its place');
		places.add(place);
	}
	for (const [uri, path] of paths) {
		const parts = placeOf(path).split('/');
		if (parts.some((_, at) => at > 0 && places.has(parts.slice(0, at).join('/'))))
			throw refusal(uri, 'another file of its skill has the place of its folder');
	}
	return paths;
}

/** Equal for paths that a file system may take for one. */
function placeOf(path: string): string {
	return path.normalize('NFC').toLowerCase();
}

function pathInSkill(skill: Skill, uri: string): string {
	const root = skill.uri.slice(0, -SKILL_FILE.length);
	const encoded = uri.startsWith(root) ? uri.slice(root.length).split('/') : [];
	const parts = attempt(() => encoded.map(decodeURIComponent), []);
	const isPlain = (part: string): boolean => !/^\.{0,2}$|[/\\\0:]/.test(part);
	if (parts.length === 0 || !parts.every(isPlain)) throw refusal(uri, 'it is not inside of its skill');
	return parts.join('/');
}

/** The bytes of a file, from the answer to `resources/read`. Throws when they are not those of the list. */
export function verifiedBytes(skill: Skill, uri: string, answer: Result): Buffer {
	const file = skillFiles(skill).find((each) => each.uri === uri);
	if (file === undefined) throw refusal(uri, 'its skill does not list it');
	const bytes = bytesOf(uri, answer);
	if (bytes.length !== file.size)
		throw refusal(uri, `it has ${bytes.length} bytes, and ${file.size} are listed`);
	if (skillDigest(bytes) !== file.digest) throw refusal(uri, `its digest is not ${file.digest}`);
	if (uri === skill.uri) {
		const { data } = readFrontMatter(bytes.toString('utf8'));
		if (!isDeepStrictEqual(data, skill.frontmatter))
			throw refusal(uri, 'its front matter is not the one that is listed');
	}
	return bytes;
}

function bytesOf(uri: string, { contents }: Result): Buffer {
	const [content] = Array.isArray(contents) ? contents : [];
	const { text, blob } = isObject(content) ? content : {};
	if (typeof text === 'string') return Buffer.from(text, 'utf8');
	if (typeof blob === 'string') return Buffer.from(blob, 'base64');
	throw refusal(uri, 'it has no content');
}

function refusal(uri: string, reason: string): OrchestraError {
	return new OrchestraError('bad_input', `${uri} is not used: ${reason}`, {
		hint: 'List the skills again; if it stays so, report it to the author of the server.',
		data: { uri },
	});
}
