/* One tool, prompt or resource: what it is, what it takes, and a way to try it. */
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { OfferKind, ToolReply } from '../../api-offers.ts';
import { TryIt } from '../call/try-it.tsx';
import type { JsonSchema } from '../form/form-field.ts';
import { pathWith } from '../live/api-client.ts';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { CommandText } from '../parts/command-text.tsx';
import { useFetched } from '../parts/fetched.ts';
import { EmptyState, ErrorText, Fact, Panel } from '../parts/panel.tsx';
import { MarkdownView } from '../text/markdown-view.tsx';
import { VisibleText } from '../text/visible-text.tsx';
import { ResourceDetail } from './resource-detail.tsx';
import { SchemaTable } from './schema-table.tsx';

export function OfferDetail({ kind, name }: { kind: OfferKind; name: string }): JSX.Element {
	if (kind === 'resource' || kind === 'template')
		return <ResourceDetail uri={name} isTemplate={kind === 'template'} />;
	return <ToolDetail kind={kind} name={name} />;
}

function ToolDetail({ kind, name }: { kind: OfferKind; name: string }): JSX.Element {
	const { catalogue } = useDashboard();
	const fetched = useFetched<ToolReply>(
		pathWith('/api/tool', { name, kind: kind === 'prompt' ? 'prompt' : undefined }),
	);
	const { version } = catalogue.value ?? {};
	useEffect(() => {
		if (fetched.value.peek()) fetched.reload();
	}, [version]);
	const reply = fetched.value.value;
	if (fetched.error.value && !reply) return <ErrorText error={fetched.error.value} />;
	if (!reply) return <EmptyState title="Reading…" />;
	return <ToolPage reply={reply} kind={kind} />;
}

function ToolPage({ reply, kind }: { reply: ToolReply; kind: OfferKind }): JSX.Element {
	const { tool } = reply;
	const isPrompt = kind === 'prompt';
	// A new object with the same content must not reset the form.
	const text = JSON.stringify(isPrompt ? promptSchema(tool['arguments']) : (tool['inputSchema'] ?? {}));
	const schema = useMemo(() => JSON.parse(text) as JsonSchema, [text]);
	const output = tool['outputSchema'] as JsonSchema | undefined;
	return (
		<article class="offer-page">
			<header>
				<h2>
					<VisibleText text={reply.name} isLine />
				</h2>
				<Hints tool={tool} />
			</header>
			{typeof tool['title'] === 'string' && tool['title'] !== reply.name && (
				<p class="subtitle">
					<VisibleText text={tool['title']} isLine />
				</p>
			)}
			{typeof tool['description'] === 'string' && <MarkdownView text={tool['description']} />}
			<dl class="facts">
				<Fact name="server">
					<a href={routeHref('servers', reply.backend)}>
						<VisibleText text={reply.backend} isLine />
					</a>
				</Fact>
				{reply.policy !== null && (
					<Fact name="policy">
						<VisibleText text={[reply.policy, reply.rule].filter(Boolean).join(' · ')} isLine />
					</Fact>
				)}
				<Fact name="calls">
					<a href={routeHref('calls', '', { tool: reply.name })}>Calls of it</a>
				</Fact>
				<Fact name="signature">
					<code>
						<VisibleText text={reply.signature} isLine />
					</code>
				</Fact>
				<Fact name="terminal">
					<CommandText command={reply.command} />
				</Fact>
			</dl>
			<TryIt
				key={text}
				schema={schema}
				method={isPrompt ? 'prompts/get' : 'tools/call'}
				name={reply.name}
				command={reply.command}
			/>
			<Panel title={isPrompt ? 'Arguments' : 'Input'}>
				<SchemaTable schema={schema} />
			</Panel>
			{output && (
				<Panel title="Output">
					<SchemaTable schema={output} />
				</Panel>
			)}
		</article>
	);
}

const HINTS: readonly (readonly [string, unknown, string])[] = [
	['readOnlyHint', true, 'reads only'],
	['destructiveHint', true, 'destructive'],
	['idempotentHint', true, 'idempotent'],
	['openWorldHint', true, 'reaches outside'],
];

/** The annotations of the server: its claims, not ours. */
function Hints({ tool }: { tool: ToolReply['tool'] }): JSX.Element {
	const annotations = (tool['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
	return (
		<span class="tags" title="what the server says about it">
			{HINTS.filter(([key, value]) => annotations[key] === value).map(([key, , label]) => (
				<span class={`tag ${key}`}>{label}</span>
			))}
		</span>
	);
}

/** The arguments of a prompt are texts. */
function promptSchema(list: unknown): JsonSchema {
	const items = (Array.isArray(list) ? list : []) as Readonly<Record<string, unknown>>[];
	const properties = items.map(({ name, title, description }) => [
		name,
		{ type: 'string', title, description },
	]);
	return {
		type: 'object',
		properties: Object.fromEntries(properties),
		required: items.filter(({ required }) => required === true).map(({ name }) => name),
	};
}
