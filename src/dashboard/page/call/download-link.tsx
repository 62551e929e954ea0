/* Bytes of a server as a file. The type of the file is always a stream of bytes, so that no browser opens it as a page. */
import type { JSX } from 'preact';
import { attempt } from '../../../errors.ts';
import { DOWNLOAD_RELEASE_MS } from '../page-limits.ts';
import { formatBytes } from '../text/quantities.ts';

export function DownloadLink({ data, mimeType }: { data: string; mimeType: string }): JSX.Element {
	const save = (): void => {
		const bytes = base64Bytes(data) ?? new Uint8Array();
		const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
		const link = document.createElement('a');
		link.href = address;
		link.download = `result.${/^[\w-]+\/([\w-]{1,8})/.exec(mimeType)?.[1] ?? 'bin'}`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_RELEASE_MS);
	};
	return (
		<button type="button" class="quiet" onClick={save}>
			Save {formatBytes(base64Size(data))}
		</button>
	);
}

/** How many bytes a base64 text stands for. */
export function base64Size(data: string): number {
	return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}

/** Undefined when the text is not base64. */
export function base64Bytes(data: string): Uint8Array<ArrayBuffer> | undefined {
	return attempt(() => Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
}
