/* One content block of MCP: text, image, audio, a link to a resource, an embedded resource. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { attempt } from '../../../errors.ts';
import type { ApiObject } from '../../api/api-types.ts';
import { CopyButton } from '../components/command-text.tsx';
import { JsonTree } from '../components/json-tree.tsx';
import { Toggle } from '../components/panel.tsx';
import { routeHref } from '../live/route.ts';
import { MarkdownView } from '../text/markdown-view.tsx';
import { visibleLine, visibleText } from '../text/visible-text.tsx';
import { AudioPlayer } from './audio-player.tsx';
import { BitmapImage } from './bitmap-image.tsx';
import { DownloadLink } from './download-link.tsx';

export function ContentPart({ block }: { block: ApiObject }): JSX.Element {
	const mimeType = text(block['mimeType']);
	switch (block['type']) {
		case 'text':
			return <TextBlock text={text(block['text'])} />;
		case 'image':
			return <BitmapImage data={text(block['data'])} mimeType={mimeType} />;
		case 'audio':
			return <AudioPlayer data={text(block['data'])} mimeType={mimeType} />;
		case 'resource_link':
			return <ResourceLink link={block} />;
		case 'resource':
			return <EmbeddedResource resource={(block['resource'] ?? {}) as ApiObject} />;
		default:
			return <JsonTree value={block} />;
	}
}

const WAYS = ['text', 'markdown', 'json'] as const;
type Way = (typeof WAYS)[number];

function TextBlock({ text, mimeType = '' }: { text: string; mimeType?: string }): JSX.Element {
	const json = useMemo(() => parsedJson(text), [text]);
	const way = useSignal<Way>(
		json !== undefined ? 'json' : looksLikeMarkdown(text, mimeType) ? 'markdown' : 'text',
	);
	return (
		<div class="text-block">
			<p class="ways" role="group" aria-label="Show as">
				{WAYS.filter((each) => each !== 'json' || json !== undefined).map((each) => (
					<Toggle isOn={way.value === each} onClick={() => (way.value = each)}>
						{each}
					</Toggle>
				))}
				<CopyButton label="Copy" text={text} what="the text" />
			</p>
			{way.value === 'json' && <JsonTree value={json} />}
			{way.value === 'markdown' && <MarkdownView text={text} />}
			{way.value === 'text' && (
				<pre class="text" tabIndex={0}>
					{visibleText(text)}
				</pre>
			)}
		</div>
	);
}

function ResourceLink({ link }: { link: ApiObject }): JSX.Element {
	const uri = text(link['uri']);
	return (
		<p class="resource-link">
			<a href={routeHref('tools', uri, { kind: 'resource' })}>
				{visibleLine(text(link['title']) || text(link['name']) || uri)}
			</a>{' '}
			<code>{visibleLine(uri)}</code> <span class="dim">{visibleText(text(link['description']))}</span>
		</p>
	);
}

function EmbeddedResource({ resource }: { resource: ApiObject }): JSX.Element {
	const mimeType = text(resource['mimeType']);
	const blob = text(resource['blob']);
	return (
		<div class="embedded">
			<p class="dim">
				{visibleLine(text(resource['uri']))} {visibleLine(mimeType)}
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

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
