/*
 * What the registry's published OpenAPI (API v0.1, version 2025-12-01: `docs/reference/api/openapi.yaml`
 * of github.com/modelcontextprotocol/registry) says about the answers of its GET requests, as a JSON
 * Schema in our words: the same names, types, required members, patterns and lengths.
 *
 * `ORCHESTRA_REGISTRY_OPENAPI=openapi.yaml` checks against the published file itself. Both were run
 * on the same answers, those of the official registry server included.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const url = { type: 'string', format: 'uri' };
const time = { type: 'string', format: 'date-time' };
const address = { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' };
const of = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: object) => ({ type: 'array', items });
const mapOf = (name: string) => ({ type: 'object', additionalProperties: of(name) });
const oneOf = (...values: string[]) => ({ type: 'string', enum: values });
const object = (required: string, properties: object) => ({
	type: 'object',
	required: required.split(' ').filter(Boolean),
	properties,
});
const sizedText = (minLength: number, maxLength: number) => ({ type: 'string', minLength, maxLength });
const transportAt = (type: string) =>
	object('type url', { type: oneOf(type), url: address, headers: listOf(of('KeyValueInput')) });

const schemas = {
	ServerList: object('servers', {
		servers: listOf(of('ServerResponse')),
		metadata: object('', { nextCursor: text, count: { type: 'integer' } }),
	}),
	ServerResponse: object('server', {
		server: of('ServerDetail'),
		_meta: object('', {
			'io.modelcontextprotocol.registry/official': {
				...object('', {
					status: oneOf('active', 'deprecated', 'deleted'),
					statusMessage: { type: 'string', maxLength: 500 },
					statusChangedAt: time,
					publishedAt: time,
					updatedAt: time,
					isLatest: flag,
				}),
				additionalProperties: false,
			},
		}),
	}),
	ServerDetail: object('name description version', {
		$schema: url,
		name: { ...sizedText(3, 200), pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
		description: sizedText(1, 100),
		title: sizedText(1, 100),
		version: { type: 'string', maxLength: 255 },
		websiteUrl: url,
		repository: object('url source', { url, source: text, id: text, subfolder: text }),
		packages: listOf(of('Package')),
		remotes: listOf({
			allOf: [
				{ anyOf: [of('StreamableHttp'), of('Sse')] },
				{ type: 'object', properties: { variables: mapOf('Input') } },
			],
		}),
		_meta: { type: 'object' },
	}),
	Package: object('registryType identifier transport', {
		registryType: text,
		registryBaseUrl: url,
		identifier: text,
		version: { ...sizedText(1, 255), not: { const: 'latest' } },
		fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
		runtimeHint: text,
		transport: {
			anyOf: [object('type', { type: oneOf('stdio') }), of('StreamableHttp'), of('Sse')],
		},
		runtimeArguments: listOf(of('Argument')),
		packageArguments: listOf(of('Argument')),
		environmentVariables: listOf(of('KeyValueInput')),
	}),
	StreamableHttp: transportAt('streamable-http'),
	Sse: transportAt('sse'),
	Input: object('', {
		description: text,
		isRequired: flag,
		isSecret: flag,
		format: oneOf('string', 'number', 'boolean', 'filepath'),
		value: text,
		default: text,
		placeholder: text,
		choices: listOf(text),
	}),
	InputWithVariables: { allOf: [of('Input'), object('', { variables: mapOf('Input') })] },
	KeyValueInput: { allOf: [of('InputWithVariables'), object('name', { name: text })] },
	Argument: {
		allOf: [of('InputWithVariables'), object('type', { isRepeated: flag })],
		anyOf: [
			object('type name', { type: oneOf('named'), name: text }),
			{
				...object('type', { type: oneOf('positional'), valueHint: text }),
				anyOf: [{ required: ['valueHint'] }, { required: ['value'] }],
			},
		],
	},
};

let validators: Map<string, ValidateFunction> | undefined;

/** Throws with what is wrong when `answer` is not of the form that the API gives it. */
export function assertAnswer(form: 'ServerList' | 'ServerResponse', answer: unknown): void {
	validators ??= compile();
	const validate = validators.get(form);
	if (validate?.(JSON.parse(JSON.stringify(answer))) === true) return;
	throw new Error(`this is no ${form} of the registry's API: ${JSON.stringify(validate?.errors)}`);
}

function compile(): Map<string, ValidateFunction> {
	const file = process.env['ORCHESTRA_REGISTRY_OPENAPI'];
	const api: unknown = file === undefined ? { components: { schemas } } : parse(readFileSync(file, 'utf8'));
	const ajv = new Ajv2020({
		strict: false,
		formats: {
			uri: (value) => URL.canParse(value),
			'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
		},
	});
	ajv.addSchema({ ...(api as object), $id: 'registry' });
	return new Map(
		['ServerList', 'ServerResponse'].map((form) => [
			form,
			ajv.compile({ $ref: `registry#/components/schemas/${form}` }),
		]),
	);
}
