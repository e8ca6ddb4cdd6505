/** The place of a caret in unfinished YAML. */
export interface YamlPosition {
  /** the keys around it, outermost first; lists do not count */
  keys: string[]
  /** true at the value of the innermost key, and not inside of it */
  is_value: boolean
  /** the typed part */
  word: string
}

const LINE = /^(\s*(?:- +)*)([\s\S]*)$/
const KEY = /^(["']?)([\w.-]+)\1:(?=\s|$)/

/** Reads it from the text before the caret: by the columns of the lines above, and by the brackets of its own line. */
export function yamlPosition(before: string): YamlPosition {
  const lines = before.split('\n')
  const [, lead = '', rest = ''] = LINE.exec(lines.pop() ?? '') ?? []
  const own = ofLine(rest)
  return { ...own, keys: [...keysAbove(lines, lead.length), ...own.keys] }
}

function keysAbove(lines: readonly string[], column: number): string[] {
  const keys: string[] = []
  let within = column
  for (const line of lines.toReversed()) {
    const [, lead = '', rest = ''] = LINE.exec(line) ?? []
    const key = KEY.exec(rest)?.[2]
    if (key === undefined || lead.length >= within) continue
    keys.unshift(key)
    within = lead.length
  }
  return keys
}

function ofLine(text: string): YamlPosition {
  const open: (string | undefined)[] = [undefined]
  let word = ''
  for (let rest = text; rest !== ''; ) {
    const key = word === '' && open.at(-1) === undefined ? KEY.exec(rest) : null
    const taken = key?.[0] ?? rest.charAt(0)
    rest = rest.slice(taken.length)
    if (key !== null) open[open.length - 1] = key[2]
    else if (taken === '{' || taken === '[') open.push(undefined)
    else if (taken === '}' || taken === ']') open.pop()
    else if (taken === ',' && open.length > 1) open[open.length - 1] = undefined
    word = key === null && /[\w.:-]/.test(taken) ? word + taken : ''
  }
  return { keys: open.filter((key) => key !== undefined), is_value: open.at(-1) !== undefined, word }
}
