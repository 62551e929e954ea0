/*
 * The server that the official conformance suite expects: the names and results
 * are the suite's, everything else is a plain server on `orchestra-hub/mcp`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { provide } from '../../dist/mcp/index.js';

const png =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const image = { type: 'image', data: png, mimeType: 'image/png' };

const tools = {
	test_simple_text: tool('A text', () => 'This is a simple text response for testing.'),
	test_image_content: tool('An image', () => ({ content: [image] })),
	test_audio_content: tool('A sound', () => ({
		content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
	})),
	test_embedded_resource: tool('A resource inside the result', () => ({
		content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
	})),
	test_multiple_content_types: tool('Text, image and resource', () => ({
		content: [
			{ type: 'text', text: 'Multiple content types test:' },
			image,
			embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
		],
	})),
	test_error_handling: tool('Fails', () => {
		throw new Error('This tool intentionally returns an error for testing');
	}),
	test_tool_with_logging: tool('Logs three times', async (_input, context) => {
		for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
			context.log('info', line);
			await sleep(50);
		}
		return 'Tool with logging executed successfully';
	}),
	test_logging_tool: tool('Logs when asked to', (_input, context) => {
		context.log('info', 'a log line');
		return 'done';
	}),
	test_tool_with_progress: tool('Tells its progress', async (_input, context) => {
		for (const progress of [0, 50, 100]) {
			context.progress(progress, 100, `Completed step ${progress} of 100`);
			await sleep(50);
		}
		return String(context.meta.progressToken);
	}),
	test_sampling: tool('Asks the model', askModel, text('prompt')),
	test_elicitation: tool(
		'Asks the user',
		async ({ message }, context) => {
			const fields = { username: { type: 'string' }, email: { type: 'string' } };
			const answer = await context.ask('elicitation/create', form(message, fields, ['username', 'email']));
			return `User response: ${JSON.stringify(answer)}`;
		},
		text('message'),
	),
	test_elicitation_sep1034_defaults: tool('Asks with defaults', (_input, context) =>
		askForm(context, 'Please review the form', {
			name: { type: 'string', default: 'John Doe' },
			age: { type: 'integer', default: 30 },
			score: { type: 'number', default: 95.5 },
			status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
			verified: { type: 'boolean', default: true },
		}),
	),
	test_elicitation_sep1330_enums: tool('Asks with choices', (_input, context) =>
		askForm(context, 'Please choose', {
			untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
			titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
			legacyEnum: {
				type: 'string',
				enum: ['opt1', 'opt2', 'opt3'],
				enumNames: ['Option One', 'Option Two', 'Option Three'],
			},
			untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
			titledMulti: {
				type: 'array',
				items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
			},
		}),
	),
	json_schema_2020_12_tool: tool('Keeps its schema', (input) => JSON.stringify(input), {
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		type: 'object',
		$defs: {
			address: {
				$anchor: 'address',
				type: 'object',
				properties: { street: { type: 'string' }, city: { type: 'string' } },
			},
		},
		properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
		allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
		if: { required: ['address'] },
		// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
		then: { properties: { name: { minLength: 1 } } },
		else: { required: ['name'] },
		additionalProperties: false,
	}),
	test_custom_headers: tool('Repeats an argument in a header', ({ region }) => `region: ${region}`, {
		type: 'object',
		properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
	}),
	test_missing_capability: tool('Needs sampling', (_input, context) =>
		askModel({ prompt: 'hello' }, context),
	),
	test_streaming_elicitation: tool('Asks in the middle', async (_input, context) => {
		context.progress(1, 2);
		return askForm(context, 'Go on?', { ok: { type: 'boolean' } });
	}),
	test_trigger_tool_change: tool('Adds a tool', () =>
		add(
			'tools',
			tool('An added tool', () => 'added'),
		),
	),
	test_trigger_prompt_change: tool('Adds a prompt', () =>
		add('prompts', { description: 'An added prompt', get: () => 'added' }),
	),
	// This one keeps no call waiting: it answers from what the request brings.
	test_input_required_result_elicitation: tool('Asks by result', (_input, { inputResponses }) => {
		const name = inputResponses?.user_name?.content?.name;
		return typeof name === 'string'
			? `Hello, ${name}!`
			: required({ user_name: elicit('What is your name?', { name: { type: 'string' } }) });
	}),
	test_input_required_result_sampling: tool('Asks the model', async (_input, context) => {
		const { sample_request: sample } = await askAll(context, { sample_request: sampling('The capital?') });
		return `Sampling result: ${sample.content?.text}`;
	}),
	test_input_required_result_list_roots: tool('Asks for roots', async (_input, context) => {
		const { roots_request: roots } = await askAll(context, { roots_request: { method: 'roots/list' } });
		return `Found ${roots.roots.length} root(s)`;
	}),
	test_input_required_result_request_state: tool('Keeps a state', async (_input, context) => {
		await askAll(context, { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) });
		return 'state-ok';
	}),
	test_input_required_result_tampered_state: tool('Signs its state', async (_input, context) => {
		await askAll(context, { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) });
		return 'confirmed';
	}),
	test_input_required_result_multiple_inputs: tool('Asks three things', async (_input, context) => {
		const answers = await askAll(context, {
			user_name: elicit('What is your name?', { name: { type: 'string' } }),
			greeting: sampling('Generate a greeting'),
			client_roots: { method: 'roots/list' },
		});
		return `Answers: ${Object.keys(answers).join(', ')}`;
	}),
	test_input_required_result_multi_round: tool('Asks twice', async (_input, context) => {
		const { step1 } = await askAll(context, { step1: elicit('Your name?', { name: { type: 'string' } }) });
		const { step2 } = await askAll(context, { step2: elicit('A colour?', { color: { type: 'string' } }) });
		return `${step1.content.name} likes ${step2.content.color}`;
	}),
	test_input_required_result_capabilities: tool('Asks what can be asked', async (_input, context) => {
		const questions = {};
		if (context.clientCapabilities.sampling) questions.sample = sampling('hello');
		if (context.clientCapabilities.elicitation)
			questions.name = elicit('Name?', { name: { type: 'string' } });
		return JSON.stringify(await askAll(context, questions));
	}),
};

const resources = {
	'test://static-text': {
		name: 'static-text',
		title: 'Static text',
		mimeType: 'text/plain',
		read: () => 'This is the content of the static text resource.',
	},
	'test://static-binary': {
		name: 'static-binary',
		mimeType: 'image/png',
		read: () => Buffer.from(png, 'base64'),
	},
	'test://watched-resource': {
		name: 'watched-resource',
		mimeType: 'text/plain',
		read: () => 'Watched resource content',
	},
};

const templates = {
	'test://template/{id}/data': {
		name: 'template',
		mimeType: 'application/json',
		read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
	},
};

const prompts = {
	test_simple_prompt: { description: 'A prompt', get: () => 'This is a simple prompt for testing.' },
	test_prompt_with_arguments: {
		description: 'A prompt with arguments',
		arguments: [
			{ name: 'arg1', required: true },
			{ name: 'arg2', required: true },
		],
		get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
		complete: (_argument, typed) => ['paris', 'parma'].filter((word) => word.startsWith(typed)),
	},
	test_prompt_with_embedded_resource: {
		description: 'A prompt with a resource',
		arguments: [{ name: 'resourceUri', required: true }],
		get: ({ resourceUri }) =>
			messages(
				embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
				'Please process the embedded resource above.',
			),
	},
	test_prompt_with_image: {
		description: 'A prompt with an image',
		get: () => messages(image, 'Please analyze the image above.'),
	},
	test_input_required_result_prompt: {
		description: 'A prompt that asks first',
		get: (_input, { inputResponses }) => {
			const context = inputResponses?.user_context?.content?.context;
			return typeof context === 'string'
				? `Prompt with context: ${context}`
				: required({ user_context: elicit('Which context?', { context: { type: 'string' } }) });
		},
	},
};

export const provider = provide({
	name: 'conformance',
	version: '1.0.0',
	instructions: 'Answers the conformance suite.',
	tools,
	resources,
	templates,
	prompts,
});

function tool(description, run, inputSchema = { type: 'object' }) {
	return { description, inputSchema, run };
}

function text(name) {
	return { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] };
}

function embedded(uri, mimeType, content) {
	return { type: 'resource', resource: { uri, mimeType, text: content } };
}

function messages(content, words) {
	return {
		messages: [
			{ role: 'user', content },
			{ role: 'user', content: { type: 'text', text: words } },
		],
	};
}

function form(message, properties, names = []) {
	return { mode: 'form', message, requestedSchema: { type: 'object', properties, required: names } };
}

function titled(...titles) {
	return titles.map((title, index) => ({ const: `value${index + 1}`, title }));
}

function elicit(message, properties) {
	return { method: 'elicitation/create', params: form(message, properties, Object.keys(properties)) };
}

function sampling(words) {
	const content = { type: 'text', text: words };
	return {
		method: 'sampling/createMessage',
		params: { messages: [{ role: 'user', content }], maxTokens: 100 },
	};
}

async function askModel({ prompt }, context) {
	const { params } = sampling(prompt);
	const answer = await context.ask('sampling/createMessage', params);
	return `LLM response: ${answer.content.text}`;
}

async function askForm(context, message, properties) {
	const { action, content } = await context.ask('elicitation/create', form(message, properties));
	return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
}

function required(inputRequests) {
	return { resultType: 'input_required', inputRequests: named(inputRequests) };
}

function askAll(context, questions) {
	return context.askAll(named(questions));
}

/** The suite demands its keys; a request of the legacy era has no place for one but `_meta`. */
function named(questions) {
	if (!process.argv.includes('--legacy')) return questions;
	const entries = Object.entries(questions);
	return Object.fromEntries(
		entries.map(([key, { method, params }]) => [
			key,
			{ method, params: { ...params, _meta: { 'orchestra/inputKey': key } } },
		]),
	);
}

/** A gateway reports no change of a list that stays as it was. */
function add(kind, item) {
	const items = { tools, prompts }[kind];
	items[`test_added_${Object.keys(items).length}`] = item;
	provider.notifyChange({ kind });
	return 'changed';
}
