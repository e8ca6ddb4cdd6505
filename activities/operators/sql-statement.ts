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

/** Words after which a table's name may stand. */
const NAMES_TABLE = new Set(['into', 'update', 'from', 'join', 'table', 'truncate', 'on', 'using', 'vacuum', 'analyze', 'analyse', 'cluster', 'index', 'view'])

/** Words that may stand between such a word and the name. */
const FILLER = new Set(['only', 'if', 'not', 'exists', 'concurrently', 'full', 'verbose', 'freeze', 'analyze', 'analyse', 'table', 'index'])

/** Words that end a search for a name. */
const NOT_A_NAME = new Set(['select', 'set', 'values', 'where', 'conflict', 'as', 'delete', 'update', 'true', 'false', 'lateral', 'unnest', 'on'])

/** Reads a statement for people's eyes and for clear refusals; what it may do is decided by the server. */
export function readStatement(sql: string): SqlStatement {
  const tokens = tokenize(sql)
  const tables = new Set<string>()
  for (let at = 0; at < tokens.length; at += 1) {
    if (!NAMES_TABLE.has(tokens[at] ?? '') || tokens[at - 1] === '.') continue
    const name = readName(tokens, skipFiller(tokens, at + 1))
    if (name !== undefined) tables.add(name)
  }
  return { keyword: tokens[0] ?? '', tables: [...tables], tokens }
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

function skipFiller(tokens: string[], start: number): number {
  let at = start
  while (FILLER.has(tokens[at] ?? '') || tokens[at] === '(') {
    if (tokens[at] === '(') at = tokens.indexOf(')', at)
    if (at === -1) return tokens.length
    at += 1
  }
  return at
}

function readName(tokens: string[], start: number): string | undefined {
  const parts: string[] = []
  for (let at = start; at < tokens.length; at += 2) {
    const part = tokens[at] ?? ''
    if (!/^["\w\u0080-\uffff]/.test(part) || NOT_A_NAME.has(part)) break
    parts.push(part)
    if (tokens[at + 1] !== '.') break
  }
  return parts.length === 0 ? undefined : parts.join('.')
}
