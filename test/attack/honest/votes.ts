import { setTimeout as pause } from 'node:timers/promises'
import { createDice } from '../dice.ts'
import type { Voter, World } from '../world.ts'
import { type HonestRun, kindOf } from './runs.ts'

export type Decision = 'approve' | 'reject' | 'cancel' | 'dismiss'

export interface PlannedVote {
  run: HonestRun
  step: string
  voter: Voter | 'starter'
  decision: Decision
  /** when in the course of the attack, from 0 to 1 */
  moment: number
}

/** What a person did, and what the service said to it. */
export interface CastVote {
  run_id: string
  gate_id: string
  plan_hash: string
  /** the request as they were shown it */
  shown: string
  step: string
  by: string
  decision: Decision
  /** null while no answer has arrived */
  status: number | null
  code: string | null
  ms: number
}

/** What honest people will answer, and when; it follows from the seed. */
export function planVotes(seed: number, run: HonestRun): PlannedVote[] {
  const dice = createDice(seed, 2_000_000 + run.nth)
  const kind = kindOf(run.kind)
  const vote = (step: string, voter: PlannedVote['voter'], decision: Decision = 'approve') => ({
    run,
    step,
    voter,
    decision,
    moment: dice.random(),
  })
  const [first = 'act'] = kind.steps
  if (run.fate === 'silent') return []
  if (run.fate === 'cancel' || run.fate === 'dismiss') return [vote(first, 'starter', run.fate)]
  if (run.fate === 'reject') return [vote(first, 'bob', 'reject')]
  if (run.fate === 'insufficient') return [vote(first, kind.insufficient)]
  const votes = kind.steps.flatMap((step, index) => (kind.approvers[index] ?? []).map((voter) => vote(step, voter)))
  const moments = votes.map(({ moment }) => moment).sort((a, b) => a - b)
  return votes.map((each, index) => ({ ...each, moment: moments[index] ?? each.moment }))
}

interface Pending {
  gate_id: string
  step: string
  plan_hash: string
  plan: { command?: string }
}
interface Answer {
  code?: string
}

const TRY_AGAIN = new Set([0, 429, 500, 502, 503, 504])

/** One person answers one gate, as a person would: waits for it, reads it, answers what was read, and asks again when nobody answers. */
export async function castVote(
  { service, voters, starter }: World,
  { run, step, voter, decision }: PlannedVote,
  cast: CastVote[],
  until: () => boolean,
): Promise<void> {
  const { headers, id: by } = voter === 'starter' ? starter : voters[voter]
  const ask = <Body>(method: string, path: string, body?: unknown) =>
    service.call<Body>(method, path, body, headers).catch(() => ({ status: 0, body: {} as Body }))
  for (; !until(); await pause(100)) {
    const pending = await ask<Pending>('GET', `/runs/${run.id}/pending-approval`)
    if (pending.status !== 200 || pending.body.step !== step) {
      const { body } = await ask<{ ended_at?: string | null }>('GET', `/runs/${run.id}`)
      if (body.ended_at) return
      continue
    }
    const { gate_id, plan_hash, plan } = pending.body
    const shown = plan.command ?? ''
    const vote: CastVote = {
      run_id: run.id,
      gate_id,
      plan_hash,
      shown,
      step,
      by,
      decision,
      status: null,
      code: null,
      ms: 0,
    }
    cast.push(vote)
    const began = Date.now()
    const { status, body } = await ask<Answer>('POST', ...requestOf(vote))
    Object.assign(vote, { status, code: body.code ?? null, ms: Date.now() - began })
    // `conflict`: the vote before, whose answer was lost, has been counted
    if (!TRY_AGAIN.has(status) && body.code !== 'run_not_awaiting') return
  }
}

function requestOf({ run_id, decision, gate_id, plan_hash }: CastVote): [path: string, body: object] {
  if (decision === 'cancel') return [`/runs/${run_id}/cancel`, { reason: 'no longer needed' }]
  if (decision === 'dismiss') return [`/runs/${run_id}/expire`, { reason: 'no longer needed' }]
  return [`/runs/${run_id}/resume`, { decision, gate_id, plan_hash }]
}
