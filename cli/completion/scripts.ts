export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The completion script of each shell: it passes the words to `svc`, and each returned line is a word, a tab, and its description. */
export const SCRIPTS: Record<Shell, string> = {
  bash: `# bash completion of svc: source <(svc completion bash)
_svc_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "\${#COMPREPLY[@]}" -eq 1 ] && [[ "\${COMPREPLY[0]}" == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o bashdefault -o default -F _svc_complete svc`,
  zsh: `#compdef svc
# zsh completion of svc: source <(svc completion zsh)
_svc() {
  local tab=$'\\t'
  local -a lines names
  lines=(\${(f)"$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  names=(\${lines%%\${tab}*})
  if (( \${#names} == 0 )); then
    _files
  else
    compadd -S '' -- \${(M)names:#*=}
    compadd -- \${names:#*=}
  fi
}
if [ "\${funcstack[1]}" = _svc ]; then _svc "$@"; else compdef _svc svc; fi`,
  fish: `# fish completion of svc: svc completion fish | source
function __svc_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (svc complete -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $found) -eq 0
    __fish_complete_path "$current"
  else
    printf '%s\\n' $found
  end
end
complete -c svc -f -a '(__svc_complete)'`,
}
