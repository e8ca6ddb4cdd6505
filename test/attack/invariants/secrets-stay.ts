import type { Invariant } from '../breach.ts'

/** A secret is in no history, no answer, no log, no record and no request but the one that was approved. */
export const secretsStay: Invariant = function* ({ runs, texts, target }) {
  for (const { id, token, marker } of runs) {
    if (token === null) continue
    const shapes = [token, ...['base64', 'base64url', 'hex'].map((as) => Buffer.from(token).toString(as as 'hex'))]
    for (const [place, text] of texts) {
      if (shapes.some((shape) => text.includes(shape))) yield { run_id: id, says: `its secret stands in ${place}` }
    }
    for (const { url, body, headers } of target) {
      const carries = shapes.some((shape) => `${url} ${body} ${JSON.stringify(headers)}`.includes(shape))
      if (carries && url !== `/${marker}/act`) yield { run_id: id, says: `its secret went to ${url}` }
    }
  }
}
