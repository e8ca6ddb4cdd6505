import type { AttackReport } from './attack.ts'
import { INVARIANTS } from './invariants/index.ts'
import { REFUSED } from './invariants/refusals-are-on-record.ts'

/** The figures of one attack, for people. */
export function reportText({ evidence, breaches, seconds }: AttackReport): string {
  const { attempts, cast, target, runs, rows, harmed, audit, seed } = evidence
  const ids = new Set(runs.map(({ id }) => id))
  const kinds = [...new Set(attempts.map(({ kind }) => kind))].sort()
  const line = (label: string, cells: (string | number)[]) =>
    `  ${label.padEnd(22)}${cells.map((cell) => String(cell).padStart(9)).join('')}`
  const of = (kind: string | null, result: string) =>
    attempts.filter((each) => (kind === null || each.kind === kind) && each.result === result).length
  const statuses = [...new Set(rows.map(({ status }) => status))].map(
    (status) => `${rows.filter((row) => row.status === status).length} ${status}`,
  )
  const refusals = audit.filter(
    (event) => event.run_id !== undefined && ids.has(event.run_id) && event.action === REFUSED,
  )
  const untouched = runs.filter(({ id }) => !harmed.some(({ run_id }) => run_id === id))
  const slowest = Math.max(0, ...cast.map(({ ms }) => ms))
  const broken = new Set(breaches.map(({ invariant }) => invariant))
  return [
    `seed ${seed}: ${attempts.length} actions against ${runs.length} runs in ${seconds.toFixed(1)} s`,
    line('', ['attempts', 'taken', 'refused', 'nothing']),
    ...kinds.map((kind) =>
      line(kind, [
        attempts.filter((each) => each.kind === kind).length,
        of(kind, 'taken'),
        of(kind, 'refused'),
        of(kind, 'nothing'),
      ]),
    ),
    line('all', [attempts.length, of(null, 'taken'), of(null, 'refused'), of(null, 'nothing')]),
    `  claims refused on record: ${refusals.length}; effects at the target: ${target.length}`,
    `  honest decisions: ${cast.length}, of them answered 200: ${cast.filter(({ status }) => status === 200).length}, slowest ${slowest} ms`,
    `  runs: ${statuses.join(', ')}; ${untouched.length} that the adversary did not stop`,
    `  invariants: ${Object.keys(INVARIANTS)
      .map((name) => `${broken.has(name) ? 'BROKEN' : 'held'} ${name}`)
      .join('; ')}`,
  ].join('\n')
}

/** Every action, in the order in which they began. */
export function journal({ evidence }: AttackReport): string {
  return evidence.attempts
    .toSorted((a, b) => a.at - b.at)
    .map(
      ({ index, kind, variant, run_id, result, detail, ms }) =>
        `  #${index} ${kind} (${variant}) ${run_id} ${result} in ${ms} ms ${detail}`,
    )
    .join('\n')
}
