/*
 * `mctl completion`: a script for the shell that completes what is typed after mctl.
 *
 * The script runs `mctl completion words`, so commands, flags and the names of the
 * project's tools are always those of this version and this folder. Candidates are
 * plain lines that the shell never evaluates: a name from outside runs nothing.
 */
import { type Command, usageError } from '../command.ts';
import { completionsFor } from './complete-args.ts';

const bash = `# mctl in bash:  source <(mctl completion bash)
_mctl() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
		mctl completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
	)
	[[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _mctl mctl
`;

const zsh = `#compdef mctl
# mctl in zsh, after compinit:  source <(mctl completion zsh)
_mctl() {
	local -a found
	found=("\${(@f)$(mctl completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ "$found[1]" == *= ]]; then compadd -S '' -- "\${found[@]}"
	elif [[ -n "$found" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
if [[ "$funcstack[1]" == _mctl ]]; then _mctl "$@"; else compdef _mctl mctl; fi
`;

const fish = `# mctl in fish:  mctl completion fish | source
function __mctl_words
	set -l before (commandline -opc)
	set -l current (commandline -ct)
	set -l found (mctl completion words -- $before[2..-1] "$current" 2>/dev/null)
	if set -q found[1]
		printf '%s\\n' $found
	else
		__fish_complete_path "$current"
	end
end
complete -c mctl -f -a '(__mctl_words)'
`;

const scripts: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish }));
const shells = [...scripts.keys()];

export const completion: Command = {
	usage: `mctl completion ${shells.join('|')}`,
	examples: [
		'source <(mctl completion bash)    # in ~/.bashrc',
		'source <(mctl completion zsh)     # in ~/.zshrc, after compinit',
		'mctl completion fish > ~/.config/fish/completions/mctl.fish',
	],
	flags: {},
	args: [1, Number.POSITIVE_INFINITY, `a shell: ${shells.join(', ')}`],

	async run({ args, out, cwd, environment }) {
		const [shell = '', ...rest] = args;
		if (shell === 'words') {
			for (const candidate of await completionsFor(rest, { cwd, environment, out })) out.line(candidate);
			return;
		}
		const script = scripts.get(shell);
		if (script === undefined)
			throw usageError(completion, `mctl completion needs a shell: ${shells.join(', ')}, not "${shell}"`);
		if (rest.length > 0) throw usageError(completion, `unexpected argument "${rest[0]}"`);
		await out.write(script);
	},
};
