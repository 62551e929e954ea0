/* Sound of a server. Decoded from its bytes, because the page's policy allows no `data:` address for media. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visibleLine } from '../text/visible-text.tsx';
import { base64Bytes, DownloadLink } from './download-link.tsx';

export function AudioPlayer({ data, mimeType }: { data: string; mimeType: string }): JSX.Element {
	const playing = useRef<{ context: AudioContext } | undefined>(undefined);
	const state = useSignal<'stopped' | 'playing'>('stopped');
	const status = useSignal('');
	const stop = (): void => {
		void playing.current?.context.close();
		playing.current = undefined;
		state.value = 'stopped';
	};
	useEffect(() => stop, []);
	const play = async (): Promise<void> => {
		const bytes = base64Bytes(data);
		const context = new AudioContext();
		playing.current = { context };
		state.value = 'playing';
		try {
			const buffer = await context.decodeAudioData(bytes?.buffer ?? new ArrayBuffer(0));
			status.value = `${buffer.duration.toFixed(1)} s`;
			const source = new AudioBufferSourceNode(context, { buffer });
			source.connect(context.destination);
			source.addEventListener('ended', stop);
			source.start();
		} catch {
			status.value = 'the browser cannot decode this sound';
			stop();
		}
	};
	return (
		<p class="audio">
			<button type="button" onClick={() => (state.value === 'playing' ? stop() : void play())}>
				{state.value === 'playing' ? '■ Stop' : '▶ Play'}
			</button>{' '}
			{visibleLine(mimeType)} {status} <DownloadLink data={data} mimeType={mimeType} />
		</p>
	);
}
