import { type CST, Lexer, type LineCounter, Parser } from 'yaml'
import { deeperThan } from './yaml-depth.ts'

/** Read in some 40 ms with everything that follows; 2,000 lines of keys with values have as many. */
const MOST_LEXEMES = 10_000
const MAX_DEPTH = 32

/** The tokens of a YAML text, or why it is read no further, and from where. */
export function yamlTokens(text: string, lines: LineCounter): CST.Token[] | { message: string; offset: number } {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    // what is nested deeper than this is refused below, and is read no further
    if (parser.stack.length > 4 * MAX_DEPTH) break
    if (++count > MOST_LEXEMES) {
      return {
        message: `more than ${MOST_LEXEMES} YAML tokens; shorten it or split it up`,
        offset: parser.offset,
      }
    }
    tokens.push(...parser.next(lexeme))
  }
  tokens.push(...parser.end())
  const deep = tokens.find((token) => deeperThan(token, MAX_DEPTH))
  return deep === undefined ? tokens : { message: `nested deeper than ${MAX_DEPTH} levels`, offset: deep.offset }
}
