import type { Invariant } from '../breach.ts'

/** What arrives is, byte for byte, what the approved plan says; and nothing arrives elsewhere. */
export const effectsAreThePlan: Invariant = function* ({ target, elsewhere, runs }) {
  for (const request of elsewhere) {
    const run = runs.find(({ marker }) => `${request.url} ${request.body}`.includes(marker))
    const says = `the other server got ${request.method} ${request.url} ${request.body.slice(0, 200)}`
    yield run === undefined ? { says } : { run_id: run.id, says }
  }
  for (const { method, url, headers, body } of target) {
    const [, marker, step] = url.split('/')
    const run = runs.find((each) => each.marker === marker)
    if (run === undefined) continue
    const { token } = run
    const expected = JSON.stringify({ marker, step, ...(token === null ? {} : { token }) })
    const authorization = token === null ? undefined : `Bearer ${token}`
    const same = method === 'POST' && url === `/${marker}/${step}` && body === expected
    if (!same || headers.authorization !== authorization)
      yield { run_id: run.id, says: `another request than the approved one: ${method} ${url} ${body.slice(0, 200)}` }
  }
}
