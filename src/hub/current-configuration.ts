/*
 * The configuration that a hub uses now. When a configuration file or the record of trust
 * changes, it is loaded again and the hub gets its new sources. A file that cannot be
 * parsed changes nothing, because an editor may be in the middle of writing it.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../config/configuration.ts';
import { type LoadedConfiguration, type LoadOptions, loadConfiguration, userFile } from '../config/load.ts';
import { blockedText, trustHint } from '../config/trust/blocked.ts';
import { TrustRecord } from '../config/trust/trust-record.ts';
import { messageOf, OrchestraError } from '../errors.ts';
import { watchFiles } from '../files/watch-files.ts';
import type { Log } from '../log.ts';
import { Listeners } from '../rpc/listeners.ts';
import { type Policy, policyOf } from '../trust/policy.ts';
import type { Hub } from './hub.ts';
import type { Source } from './source.ts';

/** How the configuration of a hub is loaded. */
export interface HubConfigurationOptions extends LoadOptions {
	readonly log: Log;
	/** Leaves out what is not needed, for a command that uses a part of the hub. Default: everything is used. */
	readonly narrow?: ((configuration: Configuration) => Configuration) | undefined;
	/** Variables that bridges forwarded for the configuration; called at each load. */
	readonly forwarded?: (() => ForwardedVariables) | undefined;
	/** The caller prints the problems of the configuration itself, so the log leaves them out. */
	readonly reportsProblems?: boolean | undefined;
}

/** Environment variables that bridges forwarded. */
export interface ForwardedVariables {
	readonly values: Readonly<Record<string, string>>;
	/** The environments that were searched, for error messages. */
	readonly environmentName: string;
}

type Build = (next: Configuration, earlier: readonly Source[]) => Promise<Source[]>;

export class CurrentConfiguration {
	readonly #options: HubConfigurationOptions;
	readonly #listeners = new Listeners<void>();
	#loaded: LoadedConfiguration;
	#policy: Policy;
	#apply: (() => Promise<void>) | undefined;
	#reloaded = Promise.resolve();
	#stopWatching: (() => void)[] = [];

	/** Load it. Throws `bad_input` when an explicitly named file cannot be used. */
	constructor(options: HubConfigurationOptions) {
		this.#options = options;
		this.#loaded = load(options);
		refuseBroken(this.#loaded, options.file);
		this.#policy = policyOf(this.configuration);
		if (options.reportsProblems !== true) warnOf(this.#loaded, options.log);
	}

	/** The configuration as it was loaded, with its problems. */
	get loaded(): LoadedConfiguration {
		return this.#loaded;
	}

	get configuration(): Configuration {
		return this.#loaded.configuration;
	}

	/** The policy of the configuration in use. */
	get policy(): Policy {
		return this.#policy;
	}

	/** Apply each change to the hub, until `close`. `build` makes its sources; unchanged earlier ones go on. */
	watch(hub: Hub, build: Build): void {
		this.#apply = () => this.#load(hub, build);
		const { environment } = this.#options;
		const reload = (): void => void this.reload();
		this.#stopWatching = [
			watchFiles(configurationFiles(environment, this.configuration), reload),
			// It changes with every project of the user.
			watchFiles([TrustRecord.ofUser(environment).file], () => {
				const [now, next] = [this.#loaded, load(this.#options)];
				if (!isDeepStrictEqual([next.configuration, next.blocked], [now.configuration, now.blocked]))
					reload();
			}),
		];
	}

	/** Load the files again, one load after the other. Never rejects: problems are logged. */
	reload(): Promise<void> {
		this.#reloaded = this.#reloaded.then(this.#apply);
		return this.#reloaded;
	}

	/** Call `listener` after each reload that was used, until the returned function is called. */
	readonly onReload: Listeners<void>['add'] = this.#listeners.add;

	/** Stop watching. Idempotent. */
	close(): void {
		for (const stop of this.#stopWatching) stop();
	}

	async #load(hub: Hub, build: Build): Promise<void> {
		const { log } = this.#options;
		try {
			const next = load(this.#options);
			if (isNewlyBroken(next, this.#loaded, log)) return;
			this.#loaded = next;
			warnOf(next, log);
			log.info('the configuration changed');
			const hidBefore = this.#policy.hidesTools;
			this.#policy = policyOf(next.configuration);
			if (hidBefore || this.#policy.hidesTools) hub.policyChanged();
			await hub.replaceSources(await build(next.configuration, hub.sources));
			hub.warm();
			this.#listeners.emit();
		} catch (error) {
			log.error(`the changed configuration could not be used: ${messageOf(error)}`);
		}
	}
}

/** The environment of the hub takes precedence over forwarded variables. */
function load(options: HubConfigurationOptions): LoadedConfiguration {
	const { values, environmentName } = options.forwarded?.() ?? {};
	const loaded = loadConfiguration({
		...options,
		environment: { ...values, ...options.environment },
		environmentName,
	});
	return options.narrow ? { ...loaded, configuration: options.narrow(loaded.configuration) } : loaded;
}

function refuseBroken({ brokenFiles, problems }: LoadedConfiguration, named: string | undefined): void {
	if (named === undefined || !brokenFiles.includes(named)) return;
	const { message = `${named} is empty`, hint } = problems[0] ?? {};
	throw new OrchestraError('bad_input', message, { hint });
}

function warnOf({ problems, skipped, blocked }: LoadedConfiguration, log: Log): void {
	for (const sentence of skipped) log.info(sentence);
	for (const file of blocked) log.warn(`${blockedText(file)}; ${trustHint(file)}`);
	for (const { message } of problems) log.warn(message);
}

/** The files that were read, and those that would be read if they existed. */
function configurationFiles(
	environment: Readonly<NodeJS.ProcessEnv>,
	{ root, files }: Configuration,
): string[] {
	const user = userFile(environment);
	const candidates = ['orchestra.json', '.mcp.json', 'plugins.yaml'].map((name) => join(root, name));
	return [...new Set([...files, ...candidates, ...(user === undefined ? [] : [user])])];
}

/**
 * Whether a file that could be parsed before cannot be parsed now. A file that was broken from the start has no
 * good state to keep and does not block changes of the others.
 */
function isNewlyBroken(next: LoadedConfiguration, last: LoadedConfiguration, log: Log): boolean {
	const broken = next.brokenFiles.filter((file) => !last.brokenFiles.includes(file));
	for (const name of broken) {
		const problem = next.problems.find(({ file }) => file === name);
		log.warn(`the last good configuration stays in use: ${problem?.message ?? `${name} is empty`}`);
	}
	return broken.length > 0;
}
