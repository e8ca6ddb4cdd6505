import { stringify } from 'csv-stringify/sync'

/** Spreadsheets run text that begins like this, also after blanks; the library looks at the first character alone. */
const HIDDEN_FORMULA = /^[\s\p{Cc}]+[=+\-@\uff1d\uff0b\uff0d\uff20]/u

/** A table as a download (RFC 4180), piece by piece as the reader takes it. No cell can be taken for a formula. */
export function csvResponse(name: string, pieces: AsyncGenerator<string[][], void>) {
  const bytes = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(bytes.encode(csvText(value)))
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  })
}

function csvText(rows: string[][]): string {
  const shown = rows.map((row) => row.map((cell) => (HIDDEN_FORMULA.test(cell) ? `'${cell}` : cell)))
  return stringify(shown, { escape_formulas: true, record_delimiter: 'windows' })
}
