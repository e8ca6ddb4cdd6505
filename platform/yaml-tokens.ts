import { type CST, Lexer, type LineCounter, Parser } from 'yaml'

/** Read in some 40 ms with everything that follows; 2,000 lines of keys with values have as many. */
const MAX_LEXEMES = 10_000
const MAX_DEPTH = 32

/** The tokens of a YAML text, or why it is read no further, and from where. */
export function yamlTokens(text: string, lines: LineCounter): CST.Token[] | { message: string; offset: number } {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    // deeper nesting is refused below, and not parsed further
    if (parser.stack.length > 4 * MAX_DEPTH) break
    if (++count > MAX_LEXEMES) {
      return {
        message: `more than ${MAX_LEXEMES} YAML tokens; shorten it or split it up`,
        offset: parser.offset,
      }
    }
    tokens.push(...parser.next(lexeme))
  }
  tokens.push(...parser.end())
  const deep = tokens.find((token) => deeperThan(token, MAX_DEPTH))
  return deep === undefined ? tokens : { message: `nested deeper than ${MAX_DEPTH} levels`, offset: deep.offset }
}

/**
 * Tells whether YAML nests deeper than `limit`. Measured on the token tree, without recursion: composing tens of thousands of levels
 * crashes the process.
 */
function deeperThan(root: CST.Token, limit: number): boolean {
  const open: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next
    if (depth > limit) return true
    if (token.type === 'document' && token.value) open.push({ token: token.value, depth })
    if ('items' in token) {
      for (const { key, value } of token.items) {
        if (key) open.push({ token: key, depth: depth + 1 })
        if (value) open.push({ token: value, depth: depth + 1 })
      }
    }
  }
  return false
}
