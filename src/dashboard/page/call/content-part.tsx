/* One content block of MCP: text, image, audio, a link to a resource, an embedded resource. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { attempt } from '../../../errors.ts';
import type { ApiObject } from '../../api/api-types.ts';
import { CopyButton } from '../components/command-text.tsx';
import { JsonTree } from '../components/json-tree.tsx';
import { plainOptions, Toggles } from '../components/panel.tsx';
import { textIn } from '../live/json-fields.ts';
import { routeHref } from '../live/route.ts';
import { MarkdownView } from '../text/markdown-view.tsx';
import { TextBox, visibleLine, visibleText } from '../text/visible-text.tsx';
import { AudioPlayer } from './audio-player.tsx';
import { BitmapImage } from './bitmap-image.tsx';
import { DownloadLink } from './download-link.tsx';

export function ContentPart({ block }: { block: ApiObject }): JSX.Element {
	const mimeType = textIn(block, 'mimeType');
	switch (block['type']) {
		case 'text':
			return <TextBlock text={textIn(block, 'text')} />;
		case 'image':
			return <BitmapImage data={textIn(block, 'data')} mimeType={mimeType} />;
		case 'audio':
			return <AudioPlayer data={textIn(block, 'data')} mimeType={mimeType} />;
		case 'resource_link':
			return <ResourceLink link={block} />;
		case 'resource':
			return <EmbeddedResource resource={(block['resource'] ?? {}) as ApiObject} />;
		default:
			return <JsonTree value={block} />;
	}
}

type Way = 'text' | 'markdown' | 'json';
const WAYS = plainOptions<Way>('text', 'markdown', 'json');

function TextBlock({ text, mimeType = '' }: { text: string; mimeType?: string }): JSX.Element {
	const json = useMemo(() => parsedJson(text), [text]);
	const way = useSignal<Way>(
		json !== undefined ? 'json' : looksLikeMarkdown(text, mimeType) ? 'markdown' : 'text',
	);
	return (
		<div class="text-block">
			<p class="ways">
				<Toggles
					label="Show as"
					options={WAYS.filter(([each]) => each !== 'json' || json !== undefined)}
					value={way.value}
					onPick={(picked) => (way.value = picked)}
				/>
				<CopyButton label="Copy" text={text} what="the text" />
			</p>
			{way.value === 'json' && <JsonTree value={json} />}
			{way.value === 'markdown' && <MarkdownView text={text} />}
			{way.value === 'text' && <TextBox text={text} />}
		</div>
	);
}

function ResourceLink({ link }: { link: ApiObject }): JSX.Element {
	const uri = textIn(link, 'uri');
	return (
		<p class="resource-link">
			<a href={routeHref('tools', uri, { kind: 'resource' })}>
				{visibleLine(textIn(link, 'title') || textIn(link, 'name') || uri)}
			</a>{' '}
			<code>{visibleLine(uri)}</code> <span class="dim">{visibleText(textIn(link, 'description'))}</span>
		</p>
	);
}

function EmbeddedResource({ resource }: { resource: ApiObject }): JSX.Element {
	const mimeType = textIn(resource, 'mimeType');
	const blob = textIn(resource, 'blob');
	return (
		<div class="embedded">
			<p class="dim">
				{visibleLine(textIn(resource, 'uri'))} {visibleLine(mimeType)}
			</p>
			{typeof resource['text'] === 'string' && <TextBlock text={resource['text']} mimeType={mimeType} />}
			{blob !== '' && mimeType.startsWith('image/') && <BitmapImage data={blob} mimeType={mimeType} />}
			{blob !== '' && mimeType.startsWith('audio/') && <AudioPlayer data={blob} mimeType={mimeType} />}
			{blob !== '' && !/^(?:image|audio)\//.test(mimeType) && (
				<DownloadLink data={blob} mimeType={mimeType} />
			)}
		</div>
	);
}

/** An object or a list; a text that is a number or a word stays text. */
function parsedJson(text: string): unknown {
	if (!/^\s*[[{]/.test(text)) return undefined;
	return attempt(() => JSON.parse(text));
}

function looksLikeMarkdown(text: string, mimeType: string): boolean {
	return mimeType === 'text/markdown' || /^(?:#{1,6} |```|\s*[-*] \S|\|.*\|$)/m.test(text.slice(0, 20_000));
}
