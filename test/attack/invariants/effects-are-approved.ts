import type { Invariant } from '../breach.ts'
import type { Evidence, GateRow } from '../evidence.ts'
import { type HonestRun, kindOf, ROLE } from '../honest/runs.ts'

const ENTITLED = new Set(['dora', 'dave'])

/** No effect, and no gate that is called approved, without the votes that it takes: of distinct, entitled people, who cast them. */
export const effectsAreApproved: Invariant = function* (evidence) {
  for (const run of evidence.runs) {
    for (const gate of evidence.gates.filter((each) => each.run_id === run.id && each.status === 'approved')) {
      for (const says of lacks(evidence, run, gate)) yield { run_id: run.id, says: `approved, but ${says}` }
    }
  }
  for (const { url, method, at } of evidence.target) {
    const [, marker, step] = new URL(url, 'http://target').pathname.split('/')
    const run = evidence.runs.find((each) => each.marker === marker)
    if (run === undefined) {
      yield { says: `the target got ${method} ${url}, which is of no run` }
      continue
    }
    const gate = evidence.gates.find(
      (each) => each.run_id === run.id && each.step_id === step && each.status === 'approved',
    )
    if (gate === undefined) yield { run_id: run.id, says: `an effect of step ${step} without an approved gate` }
    else if ((gate.resolved_ms ?? Number.POSITIVE_INFINITY) > at + 1_000)
      yield { run_id: run.id, says: `the effect of step ${step} came before its approval` }
  }
}

function* lacks({ votes, cast, people, starter }: Evidence, { kind: name }: HonestRun, gate: GateRow) {
  const kind = kindOf(name)
  const approvals = votes.filter((vote) => vote.gate_id === gate.id && vote.decision === 'approve')
  const voters = new Set(approvals.map(({ by }) => by))
  if (voters.size < kind.approvals) yield `${voters.size} of ${kind.approvals} votes are on record`
  if (kind.role === ROLE && ![...voters].some((by) => ENTITLED.has(people[by] ?? '')))
    yield `nobody with the role ${kind.role} is among those who voted`
  if (voters.has(starter)) yield 'the one who asked for it voted for it'
  for (const by of voters) {
    const meant = cast.some((vote) => vote.gate_id === gate.id && vote.by === by && vote.decision === 'approve')
    if (!meant) yield `${people[by] ?? by} stands there as having approved, and never did`
  }
  const seen = cast.filter((vote) => vote.gate_id === gate.id).map(({ plan_hash }) => plan_hash)
  if (seen.some((hash) => hash !== gate.plan_hash)) yield 'its plan is not the one that people saw'
}
