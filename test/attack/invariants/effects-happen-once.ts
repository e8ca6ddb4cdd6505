import type { Invariant } from '../breach.ts'

/** An effect that arrives again carries the same idempotency key, which is that of its run and step alone. */
export const effectsHappenOnce: Invariant = function* ({ target, runs }) {
  const keys = new Map<string, string>()
  for (const { url, headers } of target) {
    const [, marker, step] = url.split('/')
    const run = runs.find((each) => each.marker === marker)
    if (run === undefined) continue
    const key = String(headers['idempotency-key'] ?? '')
    if (key === '') yield { run_id: run.id, says: `the effect of step ${step} has no idempotency key` }
    const before = keys.get(url)
    if (before !== undefined && before !== key)
      yield { run_id: run.id, says: `the effect of step ${step} happened as ${before} and as ${key}` }
    keys.set(url, key)
    if (keys.size > 0 && [...keys].some(([other, each]) => other !== url && each === key))
      yield { run_id: run.id, says: `two effects share the idempotency key ${key}` }
  }
}
