/** Whether a command line asks for JSON, also where the rest of it cannot be parsed. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const words = end < 0 ? args : args.slice(0, end)
  return words.some((word, index) => {
    const value = /^(?:-o|--output=)(.+)$/.exec(word)?.[1] ?? words[index + 1]
    return word === '--json' || (/^(?:-o|--output)/.test(word) && value === 'json')
  })
}
