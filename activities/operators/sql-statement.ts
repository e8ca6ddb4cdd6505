/** What can be told about a statement without a server: its first word and the tables it names. */
export interface SqlStatement {
  /** lower case; empty when there is no statement */
  keyword: string
  tables: string[]
  /** every word and sign outside of strings and comments; unquoted words in lower case */
  tokens: string[]
}

const TOKEN =
  /\s+|--[^\n]*|\/\*|\$([A-Za-z_]\w*)?\$[\s\S]*?(?:\$\1\$|$)|[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[^\s]/gy

/** Words after which a table's name stands, and in which statements; an empty list means in every one. */
const NAMES_TABLE: Record<string, string[]> = {
  into: [],
  update: [],
  from: [],
  join: [],
  table: [],
  view: [],
  truncate: [],
  vacuum: [],
  analyze: ['analyze'],
  cluster: ['cluster'],
  lock: ['lock'],
  index: ['drop', 'alter', 'reindex'],
  on: ['create', 'drop', 'grant', 'revoke'],
  using: ['delete', 'merge'],
}

/** Words that may stand between such a word and the name. */
const FILLER = new Set('only if not exists concurrently full verbose freeze analyze table index'.split(' '))

/** Words that are no name although they stand where one could. */
const NOT_A_NAME = new Set('select set values where conflict as delete lateral of nowait skip all schema'.split(' '))

const TAKES_LIST = new Set(['truncate', 'drop', 'lock', 'vacuum', 'analyze'])

/** Reads a statement for people's eyes and for clear refusals; what it may do is decided by the server. */
export function readStatement(sql: string): SqlStatement {
  const tokens = tokenize(sql)
  const keyword = tokens[0] ?? ''
  const tables = new Set<string>()
  tokens.forEach((word, at) => {
    const within = Object.hasOwn(NAMES_TABLE, word) ? NAMES_TABLE[word] : undefined
    if (within === undefined || tokens[at - 1] === '.' || (within.length > 0 && !within.includes(keyword))) return
    let next = skipFiller(tokens, at + 1, keyword)
    for (let name = readName(tokens, next); name !== undefined; name = readName(tokens, next)) {
      tables.add(name.join('.'))
      next += name.length * 2
      if (tokens[next - 1] !== ',' || !TAKES_LIST.has(keyword)) break
    }
  })
  for (const name of tables) if (isQueryName(tokens, name)) tables.delete(name)
  return { keyword, tables: [...tables], tokens }
}

function tokenize(sql: string): string[] {
  const tokens: string[] = []
  const pattern = new RegExp(TOKEN)
  for (let match = pattern.exec(sql); match !== null && match[0] !== ''; match = pattern.exec(sql)) {
    const text = match[0]
    if (text === '/*') pattern.lastIndex = endOfComment(sql, pattern.lastIndex)
    else if (/^[A-Za-z_\u0080-\uffff]/.test(text) && !text.endsWith("'")) tokens.push(text.toLowerCase())
    else if (!/^(\s|--|\$.*\$|'|[eE]')/.test(text)) tokens.push(text)
  }
  return tokens
}

/** Comments nest in SQL. */
function endOfComment(sql: string, start: number): number {
  const edge = /\/\*|\*\//g
  edge.lastIndex = start
  for (let depth = 1; depth > 0; ) {
    const match = edge.exec(sql)
    if (match === null) return sql.length
    depth += match[0] === '/*' ? 1 : -1
  }
  return edge.lastIndex
}

function skipFiller(tokens: string[], start: number, keyword: string): number {
  let at = start
  if (tokens[at] === '(' && (keyword === 'vacuum' || keyword === 'analyze')) at = tokens.indexOf(')', at) + 1
  while (FILLER.has(tokens[at] ?? '')) at += 1
  return at
}

function readName(tokens: string[], start: number): string[] | undefined {
  const parts: string[] = []
  for (let at = start; at < tokens.length; at += 2) {
    const part = tokens[at] ?? ''
    if (!/^["a-z_\u0080-\uffff]/.test(part) || NOT_A_NAME.has(part)) break
    parts.push(part)
    if (tokens[at + 1] !== '.') break
  }
  return parts.length === 0 ? undefined : parts
}

/** `with name as (…)`: a query's own name, not a table. */
function isQueryName(tokens: string[], name: string): boolean {
  return tokens.some(
    (token, at) =>
      token === name && tokens[at + 1] === 'as' && ['(', 'materialized', 'not'].includes(tokens[at + 2] ?? ''),
  )
}
