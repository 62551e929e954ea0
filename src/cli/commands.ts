/*
 * The table of commands, in the order of the help. Each is loaded only when it is
 * used, so that the start of one never pays for the others. Two arguments name a
 * command of a group. What a command is for is written here and nowhere else.
 */
import type { Command } from './command.ts';

export interface CommandEntry {
	/** One line, for the overview and for the help of the command. */
	summary: string;
	/** The overview names it without its summary, so that it fits one screen. */
	isRare?: boolean;
	load: () => Promise<Command>;
}

const entries: Readonly<Record<string, CommandEntry>> = {
	demo: {
		summary: 'Start real programs, talk to them, and check that all of it works',
		isRare: true,
		load: async () => (await import('./demo/demo.ts')).demo,
	},
	list: {
		summary: 'Show what there is to call',
		load: async () => (await import('./list/list.ts')).list,
	},
	run: {
		summary: 'Run a tool and show its events and its result',
		load: async () => (await import('./call/run.ts')).run,
	},
	call: {
		summary: 'Call a tool of an MCP server and show its result',
		load: async () => (await import('./call/call.ts')).call,
	},
	show: {
		summary: 'Show what a tool takes, with a call to copy',
		load: async () => (await import('./call/show.ts')).show,
	},
	types: {
		summary: 'Write TypeScript types of the tools, and a typed client',
		isRare: true,
		load: async () => (await import('./commands/types.ts')).types,
	},
	find: {
		summary: 'Find the fragments of the library that a task needs',
		isRare: true,
		load: async () => (await import('./commands/find.ts')).find,
	},
	read: {
		summary: 'Print a resource of the library',
		isRare: true,
		load: async () => (await import('./commands/read.ts')).read,
	},
	prompt: {
		summary: 'Fill in a prompt and print it',
		isRare: true,
		load: async () => (await import('./commands/prompt.ts')).prompt,
	},
	request: {
		summary: 'Send one JSON-RPC request to a program and print the answer',
		isRare: true,
		load: async () => (await import('./commands/request.ts')).request,
	},
	pipe: {
		summary: 'Pass JSON lines to a program and print the lines it answers',
		isRare: true,
		load: async () => (await import('./commands/pipe.ts')).pipe,
	},
	serve: {
		summary: 'Serve everything here to one agent: MCP on stdin and stdout',
		load: async () => (await import('./commands/serve.ts')).serveCommand,
	},
	record: {
		summary: 'Record what a client and an MCP server say to each other',
		isRare: true,
		load: async () => (await import('./record/record.ts')).record,
	},
	replay: {
		summary: 'Serve a recording as an MCP server, or compare a server with it',
		isRare: true,
		load: async () => (await import('./record/replay.ts')).replay,
	},
	bridge: {
		summary: 'Serve MCP on stdin and stdout from the shared hub',
		isRare: true,
		load: async () => (await import('./commands/bridge.ts')).bridge,
	},
	worker: {
		summary: 'Offer the tools here to hubs on other machines, and run their calls',
		isRare: true,
		load: async () => (await import('./commands/worker.ts')).worker,
	},
	'fabric status': {
		summary: 'Show the NATS servers and who offers what',
		isRare: true,
		load: async () => (await import('./fabric/fabric-status.ts')).fabricStatus,
	},
	'fabric config': {
		summary: 'Print a configuration for the NATS server',
		isRare: true,
		load: async () => (await import('./fabric/fabric-config.ts')).fabricConfig,
	},
	'fabric invite': {
		summary: 'Make the key of a new hub or worker',
		isRare: true,
		load: async () => (await import('./fabric/fabric-invite.ts')).fabricInvite,
	},
	'fabric rotate': {
		summary: 'Make a new key of a hub or worker, without a pause',
		isRare: true,
		load: async () => (await import('./fabric/fabric-rotate.ts')).fabricRotate,
	},
	'fabric revoke': {
		summary: 'Remove a hub or worker and its key',
		isRare: true,
		load: async () => (await import('./fabric/fabric-revoke.ts')).fabricRevoke,
	},
	'fabric drain': {
		summary: 'Let a worker finish its calls and accept no more',
		isRare: true,
		load: async () => (await import('./fabric/fabric-drain.ts')).fabricDrain,
	},
	'fabric setup': {
		summary: 'Prepare the NATS servers, once',
		isRare: true,
		load: async () => (await import('./fabric/fabric-setup.ts')).fabricSetup,
	},
	auth: {
		summary: 'Sign in to a remote MCP server',
		isRare: true,
		load: async () => (await import('./auth/auth.ts')).auth,
	},
	dashboard: {
		summary: 'Open the page of the shared hub: servers, tools, calls, approvals',
		load: async () => (await import('./commands/dashboard.ts')).dashboard,
	},
	server: {
		summary: 'Start, stop or restart one server of the shared hub',
		isRare: true,
		load: async () => (await import('./commands/server.ts')).server,
	},
	log: {
		summary: 'Show the calls that were made',
		isRare: true,
		load: async () => (await import('./log/log.ts')).logCommand,
	},
	'log verify': {
		summary: 'Check that no line of the journal was changed or removed',
		isRare: true,
		load: async () => (await import('./log/log.ts')).logVerify,
	},
	'skills ls': {
		summary: 'Show the skills of servers, the library and the project',
		isRare: true,
		load: async () => (await import('./skills/skills.ts')).skillsLs,
	},
	'skills show': {
		summary: 'Print the text of a skill, after its digest was checked',
		isRare: true,
		load: async () => (await import('./skills/skills.ts')).skillsShow,
	},
	'skills install': {
		summary: 'Put a skill into .claude/skills of this project',
		isRare: true,
		load: async () => (await import('./skills/skills-install.ts')).skillsInstall,
	},
	usage: {
		summary: 'Show what calls and tool lists cost, and what nobody uses',
		isRare: true,
		load: async () => (await import('./commands/usage.ts')).usage,
	},
	plan: {
		summary: 'Run programs that call tools, and keep, replay and resume them',
		isRare: true,
		load: async () => (await import('./plan/plan.ts')).plan,
	},
	tasks: {
		summary: 'Show calls that outlived their clients, their results, and cancel them',
		isRare: true,
		load: async () => (await import('./commands/tasks.ts')).tasks,
	},
	trust: {
		summary: 'Show what this project would run, and trust it',
		load: async () => (await import('./trust/trust.ts')).trust,
	},
	approve: {
		summary: 'Allow or deny calls that wait for you',
		isRare: true,
		load: async () => (await import('./commands/approve.ts')).approve,
	},
	'trust diff': {
		summary: 'Show how MCP servers changed their tools since you accepted them',
		isRare: true,
		load: async () => (await import('./trust/trust-pins.ts')).trustDiff,
	},
	'trust accept': {
		summary: 'Accept the tools of an MCP server as they are now',
		isRare: true,
		load: async () => (await import('./trust/trust-pins.ts')).trustAccept,
	},
	'trust quarantine': {
		summary: 'Leave changed tools of an MCP server out until you accept them',
		isRare: true,
		load: async () => (await import('./trust/trust-pins.ts')).trustQuarantine,
	},
	'results ls': {
		summary: 'List the long results that are kept for agents',
		isRare: true,
		load: async () => (await import('./commands/results.ts')).resultsLs,
	},
	'results show': {
		summary: 'Print a kept result',
		isRare: true,
		load: async () => (await import('./commands/results.ts')).resultsShow,
	},
	'results look': {
		summary: 'Ask about a kept result, as agents do with the tool look',
		isRare: true,
		load: async () => (await import('./commands/results.ts')).resultsLook,
	},
	'results keep': {
		summary: 'Keep a result when its session ends',
		isRare: true,
		load: async () => (await import('./commands/results.ts')).resultsKeep,
	},
	'results drop': {
		summary: 'Remove a kept result',
		isRare: true,
		load: async () => (await import('./commands/results.ts')).resultsDrop,
	},
	'policy add': {
		summary: 'Write a rule: allow, ask about or deny calls of a tool',
		isRare: true,
		load: async () => (await import('./commands/policy.ts')).policyAdd,
	},
	'policy test': {
		summary: 'Say which rule decides about a call',
		isRare: true,
		load: async () => (await import('./commands/policy.ts')).policyTest,
	},
	'hub start': {
		summary: 'Start the shared hub of this folder in the background',
		load: async () => (await import('./hub/start-stop.ts')).hubStart,
	},
	'hub stop': {
		summary: 'Stop the shared hub of this folder and everything it started',
		load: async () => (await import('./hub/start-stop.ts')).hubStop,
	},
	'hub status': {
		summary: 'Show the shared hub of this folder and its backends',
		load: async () => (await import('./hub/hub-status.ts')).hubStatus,
	},
	'hub ls': {
		summary: 'Show every shared hub that you run',
		load: async () => (await import('./hub/hub-ls.ts')).hubLs,
	},
	'hub ps': {
		summary: 'Show every process that the shared hub owns',
		load: async () => (await import('./hub/hub-ls.ts')).hubPs,
	},
	'hub logs': {
		summary: 'Show the end of the log of the shared hub, or of its journal of calls',
		load: async () => (await import('./hub/hub-logs.ts')).hubLogs,
	},
	'hub token': {
		summary: 'Print the token for MCP over HTTP',
		load: async () => (await import('./hub/hub-status.ts')).hubToken,
	},
	'hub run': {
		summary: 'Run the shared hub in the foreground, until Ctrl-C',
		load: async () => (await import('./hub/hub-run.ts')).hubRun,
	},
	'hub install-service': {
		summary: 'Let systemd start the shared hub of this folder with your login',
		isRare: true,
		load: async () => (await import('./hub/hub-install-service.ts')).hubInstallService,
	},
	'new tool': {
		summary: 'Write a new tool that works, and say how to run it',
		load: async () => (await import('./new/new-tool.ts')).newTool,
	},
	'new server': {
		summary: 'Write an MCP server that works, and say how to call it',
		load: async () => (await import('./new/new-package.ts')).newServer,
	},
	'new plugin': {
		summary: 'Write a plugin that works',
		load: async () => (await import('./new/new-package.ts')).newPlugin,
	},
	'new prompt': {
		summary: 'Write a prompt in ./prompts',
		load: async () => (await import('./new/new-fragment.ts')).newPrompt,
	},
	'new resource': {
		summary: 'Write a fragment of the library in ./resources',
		load: async () => (await import('./new/new-fragment.ts')).newResource,
	},
	check: {
		summary: 'Check a tool against Tool Protocol v1 and report what to correct',
		isRare: true,
		load: async () => (await import('./commands/check.ts')).check,
	},
	init: {
		summary: 'Write orchestra.json and import the servers of your MCP clients',
		load: async () => (await import('./init/init.ts')).init,
	},
	add: {
		summary: 'Add an MCP server to the configuration',
		load: async () => (await import('./registry/add.ts')).add,
	},
	search: {
		summary: 'Find MCP servers in a registry',
		isRare: true,
		load: async () => (await import('./registry/search.ts')).search,
	},
	outdated: {
		summary: 'Show which servers of a registry have a newer version',
		isRare: true,
		load: async () => (await import('./registry/outdated.ts')).outdated,
	},
	upgrade: {
		summary: 'Take the newest version of a server, after a look at its tools',
		isRare: true,
		load: async () => (await import('./registry/upgrade.ts')).upgrade,
	},
	learn: {
		summary: 'List MCP servers that were never seen, so that agents have them at once',
		isRare: true,
		load: async () => (await import('./learn/learn.ts')).learn,
	},
	remove: {
		summary: 'Remove an MCP server from the configuration',
		isRare: true,
		load: async () => (await import('./edit/change-entry.ts')).remove,
	},
	enable: {
		summary: 'Enable an MCP server or plugin of the configuration',
		isRare: true,
		load: async () => (await import('./edit/change-entry.ts')).enable,
	},
	disable: {
		summary: 'Disable an MCP server or plugin and keep its entry',
		isRare: true,
		load: async () => (await import('./edit/change-entry.ts')).disable,
	},
	doctor: {
		summary: 'Check configuration, tools, runtimes and certificates',
		load: async () => (await import('./doctor/doctor.ts')).doctor,
	},
	completion: {
		summary: 'Print a script that completes mctl in bash, zsh or fish',
		isRare: true,
		load: async () => (await import('./completion/completion.ts')).completion,
	},
};

export type CommandTable = ReadonlyMap<string, CommandEntry>;

/** By name. A map, since arguments of the user are looked up in it and `constructor` is no command. */
export const commands: CommandTable = new Map(Object.entries(entries));

/** What the commands of a group do together. */
export const groups: ReadonlyMap<string, string> = new Map([
	['results', 'Long results that are kept for agents'],
	['policy', 'Rules about calls'],
	['fabric', 'Hubs on other machines'],
	['trust', 'What may start, and what was accepted'],
	['hub', 'Hub'],
	['new', 'Write what works at once'],
]);
