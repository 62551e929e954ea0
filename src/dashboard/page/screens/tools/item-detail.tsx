/* One tool, prompt or resource: what it is, what it takes, and a way to try it. */
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { quoted } from '../../../../printable.ts';
import type { CatalogueKind, PromptReply, ToolReply } from '../../../api/api-catalogue.ts';
import { TryIt } from '../../call/try-it.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { Fact, NotFetched, Panel } from '../../components/panel.tsx';
import { type Fetched, useFetched } from '../../components/use-fetched.ts';
import type { JsonSchema } from '../../form/form-field.ts';
import { pathWith } from '../../live/api-client.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { PolicyControl } from '../servers/policy-control.tsx';
import { ItemFacts } from './item-facts.tsx';
import { ResourceDetail } from './resource-detail.tsx';
import { SchemaTable } from './schema-table.tsx';

export function ItemDetail({ kind, name }: { kind: CatalogueKind; name: string }): JSX.Element {
	if (kind === 'prompt') return <PromptDetail name={name} />;
	if (kind === 'tool') return <ToolDetail name={name} />;
	return <ResourceDetail uri={name} isTemplate={kind === 'template'} />;
}

function ToolDetail({ name }: { name: string }): JSX.Element {
	const fetched = useItem<ToolReply>('/api/tool', name);
	const reply = fetched.value.value;
	const schema = useSameValue((reply?.tool['inputSchema'] ?? {}) as JsonSchema);
	if (!reply) return <NotFetched fetched={fetched} />;
	const { tool, command } = reply;
	const output = tool['outputSchema'] as JsonSchema | undefined;
	return (
		<ItemHead
			item={tool}
			name={name}
			backend={reply.backend}
			command={command}
			facts={<ToolFacts reply={reply} />}
		>
			<TryIt
				key={JSON.stringify(schema)}
				schema={schema}
				method="tools/call"
				name={name}
				command={(input) => withInput(command, input)}
			/>
			<Panel title="Input">
				<SchemaTable schema={schema} />
			</Panel>
			{output && (
				<Panel title="Output">
					<SchemaTable schema={output} />
				</Panel>
			)}
			{reply.policyTarget && (
				<Panel title="Policy">
					<PolicyControl
						target={reply.policyTarget}
						server={reply.backend}
						tool={name}
						onDone={fetched.reload}
					/>
				</Panel>
			)}
		</ItemHead>
	);
}

function PromptDetail({ name }: { name: string }): JSX.Element {
	const fetched = useItem<PromptReply>('/api/prompt', name);
	const reply = fetched.value.value;
	const schema = useSameValue(promptSchema(reply?.prompt['arguments']));
	if (!reply) return <NotFetched fetched={fetched} />;
	return (
		<ItemHead item={reply.prompt} name={name} backend={reply.backend} command={reply.command} facts={null}>
			<TryIt
				key={JSON.stringify(schema)}
				schema={schema}
				method="prompts/get"
				name={name}
				command={(input) => withPairs(reply.command, input)}
			/>
		</ItemHead>
	);
}

interface ItemHeadProps {
	readonly item: ToolReply['tool'];
	readonly name: string;
	readonly backend: string;
	readonly command: string;
	readonly facts: ComponentChildren;
	readonly children: ComponentChildren;
}

function ItemHead({ item, name, backend, command, facts, children }: ItemHeadProps): JSX.Element {
	const { title, description } = item;
	return (
		<article class="item-page">
			<header>
				<h2>{visibleLine(name)}</h2>
				<Hints item={item} />
			</header>
			<ItemFacts name={name} backend={backend} title={title} description={description}>
				{facts}
				<Fact name="in a terminal">
					<CommandText command={command} />
				</Fact>
			</ItemFacts>
			{children}
		</article>
	);
}

function ToolFacts({ reply }: { reply: ToolReply }): JSX.Element {
	return (
		<>
			{reply.policy !== null && (
				<Fact name="policy">{visibleLine([reply.policy, reply.rule].filter(Boolean).join(' · '))}</Fact>
			)}
			<Fact name="signature">
				<code>{visibleLine(reply.signature)}</code>
			</Fact>
		</>
	);
}

const HINTS: readonly (readonly [string, string])[] = [
	['readOnlyHint', 'reads only'],
	['destructiveHint', 'destructive'],
	['idempotentHint', 'idempotent'],
	['openWorldHint', 'reaches outside'],
];

/** The annotations of the server: its claims, not ours. */
function Hints({ item }: { item: ToolReply['tool'] }): JSX.Element {
	const annotations = (item['annotations'] ?? {}) as Readonly<Record<string, unknown>>;
	return (
		<span class="tags" title="what the server says about it">
			{HINTS.filter(([key]) => annotations[key] === true).map(([key, label]) => (
				<span class={`tag ${key}`}>{label}</span>
			))}
		</span>
	);
}

/** The reply, fetched again when the lists of the hub change: a server that starts lists its tools later. */
function useItem<T>(path: string, name: string): Fetched<T> {
	const { value: version } = useDashboard().catalogueVersion;
	return useFetched<T>(pathWith(path, { name, version }), true);
}

/** A new object with the same content must not reset a form. */
function useSameValue<T>(value: T): T {
	const text = JSON.stringify(value);
	return useMemo(() => value, [text]);
}

/** The arguments of a prompt are strings. */
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

function withInput(command: string, input: unknown): string {
	const text = JSON.stringify(input);
	return text === '{}' ? command : `${command} --input ${quoted(text)}`;
}

function withPairs(command: string, input: unknown): string {
	const pairs = Object.entries(input as Readonly<Record<string, unknown>>);
	return [command, ...pairs.map(([key, value]) => quoted(`${key}=${String(value)}`))].join(' ');
}
