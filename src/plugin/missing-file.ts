/*
 * A stored file that does not exist.
 *
 * The answer to a read has no error field. Orchestrators and storage plugins of others
 * answer with an empty message; ours answer with an error of this code.
 */
import { OrchestraError } from '../errors.ts';
import type { StorageReadResponse } from './gen/orchestra/plugin/v1/plugin_pb.ts';

/** The error code of a missing file. */
export const NOT_FOUND_CODE = 'not_found';

export function fileNotFound(path: string): OrchestraError {
	return new OrchestraError('not_found', `file not found: ${path}`, { data: { code: NOT_FOUND_CODE, path } });
}

/** Whether the answer says that there is no file: an existing one has content, metadata or a version. */
export function isMissingFile({ content, metadata, version }: StorageReadResponse): boolean {
	return content.length === 0 && metadata === undefined && version === 0n;
}
