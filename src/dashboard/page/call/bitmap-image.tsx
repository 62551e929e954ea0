/*
 * An image of a server, drawn on a canvas.
 *
 * The page's policy allows images of its own origin only, and no `data:` or `blob:` addresses. The
 * browser decodes the bytes here instead, without any address. SVG, which can contain more than an
 * image, is not decoded in this way: it can be saved.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { DRAWN_PIXELS_LIMIT } from '../page-limits.ts';
import { visibleLine } from '../text/visible-text.tsx';
import { base64Bytes, DownloadLink } from './download-link.tsx';

export function BitmapImage({ data, mimeType }: { data: string; mimeType: string }): JSX.Element {
	const canvas = useRef<HTMLCanvasElement>(null);
	const shown = useSignal('decoding…');
	useEffect(() => {
		const bytes = base64Bytes(data);
		if (!bytes) {
			shown.value = 'the data is not base64';
			return;
		}
		createImageBitmap(new Blob([bytes], { type: mimeType })).then(
			(bitmap) => {
				shown.value = draw(canvas.current, bitmap);
			},
			() => {
				shown.value = 'the browser cannot decode this image';
			},
		);
	}, [data, mimeType]);
	return (
		<figure class="image">
			<canvas ref={canvas} width={0} height={0} role="img" aria-label="Image of the result" />
			<figcaption>
				{visibleLine(mimeType)} {shown} <DownloadLink data={data} mimeType={mimeType} />
			</figcaption>
		</figure>
	);
}

/** Draw it; returns its size in words. */
function draw(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): string {
	const { width, height } = bitmap;
	if (width * height > DRAWN_PIXELS_LIMIT) return `${width} × ${height}, too large to show`;
	if (canvas) {
		canvas.width = width;
		canvas.height = height;
		canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
	}
	bitmap.close();
	return `${width} × ${height}`;
}
