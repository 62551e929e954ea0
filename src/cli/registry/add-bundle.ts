/* `mctl add ./notes.mcpb` and `mctl add https://…/notes.mcpb --sha256 HASH`: add a server that is a bundle. */
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { serverFiles } from '../../config/edit/editable-files.ts';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { GuardedHttp } from '../../oauth/guarded-http.ts';
import { bundleFolder, readBundleManifest, unpack } from '../../registry/bundle-files.ts';
import { type BundleManifest, planBundle, readBundle } from '../../registry/bundle-plan.ts';
import { type BundleSigner, verifyBundle } from '../../registry/bundle-signature.ts';
import { BUNDLE_BYTES, DOWNLOAD_MS, DOWNLOAD_REDIRECTS } from '../../registry/registry-limits.ts';
import { type Command, type CommandInput, textFlag, usageError } from '../command.ts';
import { scopeOf } from '../edit/edit-servers.ts';
import { isUrl } from '../target/target-name.ts';
import { addServer } from './add-server.ts';

type Usage = Pick<Command, 'usage'>;

/** The registry that a pin of a bundle names. */
export const BUNDLE_SPACE = 'bundle';

/** A path or a URL that ends in `.mcpb`, or in `.dxt` as bundles were called first. */
export function isBundle(arg: string): boolean {
	return /\.(?:mcpb|dxt)$/i.test(URL.canParse(arg) ? new URL(arg).pathname : arg);
}

/** Add the bundle at a path or URL. `expected` is the hash that a URL must have. */
export async function addBundle(
	source: string,
	input: CommandInput,
	command: Usage,
	expected: string | undefined = hashFlag(input, command),
): Promise<void> {
	const { cwd, environment } = input;
	const bytes = await checkedBytes(source, input, command, expected);
	const hash = sha256(bytes);
	const { archive, signer } = verifyBundle(bytes);
	const bundle = readBundle(await readBundleManifest(archive));
	if (bundle.platforms.length > 0 && !bundle.platforms.includes(process.platform)) {
		throw new OrchestraError(
			'bad_input',
			`${bundle.name} works on ${bundle.platforms.join(', ')}, and this is ${process.platform}`,
			{ hint: 'Ask its author for a bundle for this system.' },
		);
	}
	const name = (textFlag(input, 'as') ?? bundle.name).replace(/[^\w.-]/g, '-').slice(0, 64);
	const [file] = serverFiles(scopeOf(input, command) ?? 'project', cwd, environment);
	const folder = bundleFolder(hash, { file: file?.path ?? '', name }, environment);
	await addServer(
		{
			name,
			plan: planBundle(bundle, folder, environment['HOME'] || homedir()),
			pin: {
				registry: BUNDLE_SPACE,
				name: bundle.name,
				version: bundle.version,
				type: 'mcpb',
				identifier: isUrl(source) ? source : basename(source),
				sha256: hash,
			},
			signer,
			facts: [
				...factsOf(bundle),
				['package', `${source}, sha256 ${hash}`],
				['signed', describeSigner(signer)],
				['unpacks', folder],
			],
			bundle: { folder, unpack: () => unpack(archive, folder, input.signal) },
		},
		input,
		command,
	);
}

/** The bytes of a bundle, with the hash that is expected. */
async function checkedBytes(
	source: string,
	input: CommandInput,
	command: Usage,
	expected: string | undefined,
): Promise<Buffer> {
	if (isUrl(source) && expected === undefined)
		throw usageError(
			command,
			'a bundle from a URL needs --sha256 HASH: its author publishes the hash beside it',
		);
	const bytes = isUrl(source) ? await download(source, input) : readFile(source, input);
	const hash = sha256(bytes);
	if (expected === undefined || hash === expected) return bytes;
	throw new OrchestraError(
		'bad_input',
		`${source} has another content than expected: its sha256 is ${hash}`,
		{
			hint: 'It was changed, or the hash is of another version. Do not install it.',
			data: { sha256: hash, expected },
		},
	);
}

function factsOf({
	name,
	title,
	version,
	description,
	author,
	repositoryUrl,
}: BundleManifest): [string, string][] {
	return [
		['server', `${title ?? name} ${version}, a bundle`],
		['about', description],
		['from', repositoryUrl === undefined ? author : `${author}, ${repositoryUrl}`],
	];
}

function describeSigner(signer: BundleSigner | undefined): string {
	if (signer === undefined) return 'no; nothing proves who made it';
	const { subject, issuer, fingerprint, certification } = signer;
	const vouchers: Record<BundleSigner['certification'], string> = {
		trusted: `certified by ${issuer}`,
		'self-signed': 'self-signed: nobody else vouches for this name',
		'unknown authority': `certified by ${issuer}, which this machine does not trust: nobody else vouches for this name`,
		expired: 'the certificate is not valid today: nobody vouches for this name any more',
	};
	return `by ${subject}, certificate ${fingerprint.slice(0, 16)}…; ${vouchers[certification]}`;
}

function hashFlag(input: CommandInput, command: Usage): string | undefined {
	const text = textFlag(input, 'sha256')?.toLowerCase();
	if (text === undefined || /^[\da-f]{64}$/.test(text)) return text;
	throw usageError(command, '--sha256 takes 64 hexadecimal digits');
}

function readFile(path: string, { cwd }: CommandInput): Buffer {
	try {
		return readRegularFile(resolve(cwd, path), BUNDLE_BYTES);
	} catch (error) {
		const message = isCode(error, 'ENOENT') ? 'there is no such file' : messageOf(error);
		throw new OrchestraError('bad_input', `${path} cannot be read: ${message}`, {
			hint: 'Name a file that ends in .mcpb.',
		});
	}
}

/** Release pages redirect to another host, so redirects are followed; the hash decides what is taken. */
async function download(url: string, { environment, signal, out }: CommandInput): Promise<Buffer> {
	const http = new GuardedHttp([url], signal, environment);
	let target = url;
	for (let hop = 0; hop < DOWNLOAD_REDIRECTS; hop++) {
		out.info(`Downloading ${target}`);
		const response = await http.fetch(target, { limitBytes: BUNDLE_BYTES, timeoutMs: DOWNLOAD_MS });
		const location = response.headers.get('location');
		if (response.status === 200) return Buffer.from(await response.arrayBuffer());
		if (
			response.status < 300 ||
			response.status > 399 ||
			location === null ||
			!URL.canParse(location, target)
		) {
			throw new OrchestraError('io', `${new URL(target).origin} answered with status ${response.status}`, {
				hint: 'Check the address of the bundle.',
			});
		}
		target = new URL(location, target).href;
	}
	throw new OrchestraError('io', `${url} is redirected more than ${DOWNLOAD_REDIRECTS} times`);
}
