/* What the detail view of a tool, a prompt and a resource begins with. */
import type { ComponentChildren, JSX } from 'preact';
import { Fact } from '../../components/panel.tsx';
import { routeHref } from '../../live/route.ts';
import { MarkdownView } from '../../text/markdown-view.tsx';
import { visibleLine } from '../../text/visible-text.tsx';

interface ItemFactsProps {
	/** Name or URI, as calls name it. */
	readonly name: string;
	readonly backend: string;
	/** The values as the server sent them: shown only when they are strings. */
	readonly title: unknown;
	readonly description: unknown;
	/** More facts. */
	readonly children: ComponentChildren;
}

export function ItemFacts({ name, backend, title, description, children }: ItemFactsProps): JSX.Element {
	return (
		<>
			{typeof title === 'string' && title !== name && <p class="subtitle">{visibleLine(title)}</p>}
			{typeof description === 'string' && <MarkdownView text={description} />}
			<dl class="facts">
				<Fact name="server">
					<a href={routeHref('servers', backend)}>{visibleLine(backend)}</a>
				</Fact>
				<Fact name="history">
					<a href={routeHref('calls', '', { tool: name })}>Calls of it</a>
				</Fact>
				{children}
			</dl>
		</>
	);
}
