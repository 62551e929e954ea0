/* The sections about which tools an agent sees: `toolList`, `views` and `clients`. */
import type { ClientSettings, ExposeMode, ToolListSection, ToolView } from './configuration.ts';
import { type Field, onlyKeys } from './field.ts';

const toolListNames = ['expose', 'exposeAbove', 'always'];
const viewNames = ['allow', 'deny'];
const clientNames = ['view', 'expose'];
const exposeModes: readonly ExposeMode[] = ['search', 'all'];

/** Read `toolList`. */
export function readToolList(field: Field): ToolListSection {
	onlyKeys(field, toolListNames);
	return {
		expose: readExpose(field.at('expose')),
		exposeAbove: field.at('exposeAbove').countOrZero(),
		always: field.at('always').texts() ?? [],
	};
}

/** Read one entry of `views`. */
export function readView(field: Field): ToolView {
	onlyKeys(field, viewNames);
	return { allow: field.at('allow').texts(), deny: field.at('deny').texts() ?? [] };
}

/** Read one entry of `clients`. */
export function readClient(field: Field): ClientSettings {
	onlyKeys(field, clientNames);
	return { view: field.at('view').text(), expose: readExpose(field.at('expose')) };
}

function readExpose(field: Field): ExposeMode | undefined {
	const mode = exposeModes.find((each) => each === field.value);
	return mode !== undefined || !field.isPresent ? mode : field.report('"search" or "all"');
}
