import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chunk, chunkText, MAX_CHUNK_CHARS } from '#core/knowledge/chunk-text.ts'

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('', '   ', '# One', '## Two ##', '### Three', '#', '```', '~~~~', '    # code', '\t', '\r'),
  fc.string({ unit: 'binary', minLength: 1_900, maxLength: 6_000 }),
)
const documents = fc
  .array(line, { maxLength: 80 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)))

/** The part of a document that its lines are, counted by nobody but this. */
function linesOf(text: string, { from_line, to_line }: Chunk): string {
  return text
    .split(/(?<=\n)/)
    .slice(from_line - 1, to_line)
    .join('')
}

describe('the pieces of any document', () => {
  it('are the document, one after the other, and each stands in the lines that it names', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const chunks = chunkText(text)
        const isBlank = text.trim() === ''
        expect(chunks.map((chunk) => chunk.text).join('')).toBe(isBlank ? '' : text)
        expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index))
        for (const chunk of chunks) {
          const lines = linesOf(text, chunk)
          expect(lines).toContain(chunk.text)
          // whole lines, but where one is longer than a piece may be
          if (lines !== chunk.text)
            expect(Math.max(...lines.split('\n').map((each) => each.length))).toBeGreaterThanOrEqual(MAX_CHUNK_CHARS)
        }
        for (const [index, chunk] of chunks.entries())
          expect(chunk.from_line).toBeGreaterThanOrEqual(chunks[index - 1]?.to_line ?? 1)
      }),
    )
  })

  it('are never longer than they may be, and part no pair', () => {
    fc.assert(
      fc.property(documents, (text) => {
        for (const { text: piece } of chunkText(text.toWellFormed())) {
          expect(piece.length).toBeGreaterThan(0)
          expect(piece.length).toBeLessThanOrEqual(MAX_CHUNK_CHARS)
          expect(piece.isWellFormed()).toBe(true)
        }
      }),
    )
  })
})

describe('a document in Markdown', () => {
  const PAGE = `Before all.

# Restart

## Database ##

Drain the pool.
\`\`\`sh
# not a heading
pg_ctl restart
\`\`\`
## Cache

Nothing to do.
`
  it('is cut at its headings, and each piece knows those that it stands under', () => {
    expect(chunkText(PAGE).map(({ from_line, to_line, heading }) => [from_line, to_line, heading])).toEqual([
      [1, 2, undefined],
      [3, 11, 'Restart > Database'],
      [12, 14, 'Restart > Cache'],
    ])
  })

  it('is cut where a paragraph ends once a piece is long, and stays under its heading', () => {
    const paragraph = `${'word '.repeat(90)}\n\n`
    const chunks = chunkText(`# Long\n\n${paragraph.repeat(6)}`)
    expect(chunks.length).toBeGreaterThan(1)
    for (const chunk of chunks) {
      expect(chunk.heading).toBe('Long')
      expect(chunk.text.endsWith('\n\n')).toBe(true)
    }
  })

  it('of blanks alone has no pieces', () => {
    expect([chunkText(''), chunkText(' \n\n\t\r\n')]).toEqual([[], []])
  })
})
