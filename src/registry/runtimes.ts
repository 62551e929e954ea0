/*
 * The programs that start packages of a registry, and which of their flags an entry may give.
 *
 * A flag can make them start something else: `npx --call` a line for a shell, `--package` another
 * package, and the first argument of `docker run` that belongs to no flag is the image. So only flags
 * are taken that are known to leave the package as it is; the lock file names what runs.
 */

/** A program that starts packages of one type. */
export interface Runtime {
	readonly command: string;
	/** Other programs that take the same arguments. */
	readonly others: readonly string[];
	/** What some entries name in place of the command: the language, or its package manager. */
	readonly aliases: readonly string[];
	/** Flags of ours before those of the entry. */
	readonly flags: readonly string[];
	/** What the identifier of a package looks like. */
	readonly identifier: RegExp;
	/** What one version looks like: no range, and no tag that its owner may move. */
	readonly version: RegExp;
	/** Between the identifier and the version; undefined when the identifier has both. */
	readonly at: string | undefined;
	/** Arguments between the package and its arguments. */
	readonly separator: readonly string[];
	/** Where it looks for packages without a flag. */
	readonly base: RegExp;
	/** The flags that make it look at another address. */
	readonly fromBase?: (url: string) => readonly string[];
	/** Flags of an entry that take no value. */
	readonly switches: ReadonlySet<string>;
	/** Flags of an entry that take one, as the next argument or after `=`. */
	readonly valued: ReadonlySet<string>;
}

const npmName = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;
const pypiName = /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;
const imageName = /^[a-z0-9][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[\da-f]{64})?$/i;

const semanticVersion = /^v?\d+\.\d+\.\d+(?:-[\da-z.-]+)?(?:\+[\da-z.-]+)?$/i;
const pythonVersion = /^v?\d[\w.!+-]*$/i;
const nugetVersion = /^\d+(?:\.\d+){1,3}(?:-[\da-z.-]+)?$/i;

/** Keyed by the type of a package in the registry. */
export const runtimes: ReadonlyMap<string, Runtime> = new Map<string, Runtime>([
	[
		'npm',
		{
			command: 'npx',
			others: ['bunx'],
			aliases: ['node', 'npm'],
			flags: ['-y'],
			separator: [],
			identifier: npmName,
			version: semanticVersion,
			at: '@',
			base: /^https:\/\/registry\.npmjs\.org\/?$/i,
			fromBase: (url) => [`--registry=${url}`],
			switches: flagSet(
				'-y --yes -q --quiet -s --silent --verbose --bun --prefer-offline --prefer-online --offline --ignore-scripts --no-audit --no-fund --no-update-notifier',
			),
			valued: flagSet('--loglevel'),
		},
	],
	[
		'pypi',
		{
			command: 'uvx',
			others: [],
			aliases: ['python', 'python3', 'uv', 'pip', 'pipx'],
			flags: [],
			separator: [],
			identifier: pypiName,
			version: pythonVersion,
			at: '==',
			base: /^https:\/\/pypi\.org(?:\/simple)?\/?$/i,
			fromBase: (url) => ['--default-index', url],
			switches: flagSet(
				'-q --quiet -v --verbose -n --no-cache --refresh --offline --isolated --no-progress --native-tls --no-config --no-env-file --managed-python --no-build',
			),
			valued: flagSet('-p --python --prerelease --color'),
		},
	],
	[
		'nuget',
		{
			command: 'dnx',
			others: [],
			aliases: ['dotnet'],
			flags: [],
			separator: ['--yes', '--'],
			identifier: pypiName,
			version: nugetVersion,
			at: '@',
			base: /^https:\/\/(?:api|www)\.nuget\.org(?:\/v3(?:\/index\.json)?)?\/?$/i,
			switches: flagSet('-y --yes --prerelease --allow-roll-forward --no-http-cache'),
			valued: flagSet('-v --verbosity'),
		},
	],
	[
		'oci',
		{
			command: 'docker',
			others: ['podman'],
			aliases: [],
			flags: ['run', '-i', '--rm'],
			separator: [],
			identifier: imageName,
			version: /^/, // it is in the identifier
			at: undefined,
			base: /^(?:https:\/\/)?docker\.io\/?$/i,
			switches: flagSet(
				'run -i --interactive --rm -t --tty -it -ti --init --read-only --privileged -P --publish-all --quiet -q --no-healthcheck',
			),
			valued: flagSet(
				'-e --env --env-file -v --volume --mount --tmpfs -p --publish --expose --net --network --name --hostname -h --platform --pull',
				'-m --memory --memory-swap --shm-size --cpus -c --cpu-shares --pids-limit --ulimit -u --user --userns -w --workdir --entrypoint',
				'--add-host --dns -l --label --security-opt --cap-add --cap-drop --device --gpus --group-add --ipc --pid --log-driver --log-opt --stop-timeout',
			),
		},
	],
]);

/** The first argument of an entry that may be another package, image or line of code; undefined when there is none. */
export function foreignArg({ switches, valued }: Runtime, given: readonly string[]): string | undefined {
	let isValue = false;
	return given.find((arg) => {
		if (isValue) {
			isValue = false;
			return false;
		}
		isValue = valued.has(arg);
		const [flag] = arg.split('=', 1);
		return !isValue && !switches.has(arg) && !(flag !== arg && valued.has(flag ?? ''));
	});
}

/** Whether a variable makes the program, its loader or its package manager take code from elsewhere. */
export function choosesProgram(variable: string): boolean {
	return /^(?:(?:ld|dyld|npm_config|uv|pip|bun|nuget)_|(?:path|node_options|node_path|python(?:path|home|startup)|bash_env|comspec|docker_(?:host|context|config)|container_host)$)/i.test(
		variable,
	);
}

function flagSet(...lists: readonly string[]): ReadonlySet<string> {
	return new Set(lists.flatMap((list) => list.split(' ')));
}
