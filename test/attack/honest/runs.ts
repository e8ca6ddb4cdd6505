import { createDice } from '../dice.ts'
import type { Voter, World } from '../world.ts'

export const ROLE = 'dba'

/** What the gates of a kind of run require; said here once more, so that nothing on record can lower it. */
export interface Kind {
  environment: string
  template: 'plain' | 'pair' | 'sealed'
  steps: string[]
  approvals: number
  role: string | null
  /** who answers each gate when everybody agrees, in order */
  approvers: Voter[][]
  /** an answer that does not suffice, or does not count */
  insufficient: Voter
}

const KINDS: Record<string, Kind> = {
  quorum: {
    environment: 'quorum',
    template: 'plain',
    steps: ['act'],
    approvals: 2,
    role: null,
    approvers: [['ann', 'bob']],
    insufficient: 'bob',
  },
  roles: {
    environment: 'roles',
    template: 'plain',
    steps: ['act'],
    approvals: 1,
    role: ROLE,
    approvers: [['dora']],
    insufficient: 'ann',
  },
  others: {
    environment: 'others',
    template: 'pair',
    steps: ['act', 'confirm'],
    approvals: 1,
    role: null,
    approvers: [['ann'], ['bob']],
    insufficient: 'ann',
  },
  mailed: {
    environment: 'mailed',
    template: 'plain',
    steps: ['act'],
    approvals: 1,
    role: null,
    approvers: [['ann']],
    insufficient: 'vic',
  },
  sealed: {
    environment: 'sealed',
    template: 'sealed',
    steps: ['act'],
    approvals: 2,
    role: ROLE,
    approvers: [['dora', 'dave']],
    insufficient: 'dave',
  },
}

/** What honest people make of a run. */
export type Fate = 'approve' | 'insufficient' | 'silent' | 'reject' | 'cancel' | 'dismiss'

export interface HonestRun {
  id: string
  nth: number
  kind: string
  fate: Fate
  marker: string
  /** its secret, which nothing but its own effect may carry */
  token: string | null
  /** whether the adversary may end it by means that are open to anyone who reaches the engine */
  prey: boolean
}

/** Starts so many gated runs, of every kind and fate. */
export async function startRuns(world: World, seed: number, from: number, to: number): Promise<HonestRun[]> {
  const runs: HonestRun[] = []
  for (let nth = from; nth < to; nth += 1) runs.push(await startRun(world, seed, nth))
  return runs
}

async function startRun({ service, starter, target }: World, seed: number, nth: number): Promise<HonestRun> {
  const dice = createDice(seed, 1_000_000 + nth)
  const names = Object.keys(KINDS)
  const kind = names[nth % names.length] ?? ''
  const { template, environment } = kindOf(kind)
  const marker = `m${seed}-${nth}-${dice.hex(8)}`
  const token = template === 'sealed' ? `canary-${dice.hex(24)}` : null
  const { status, body } = await service.call<{ id: string }>(
    'POST',
    `/packs/drill/${template}/run`,
    { environment, inputs: { url: target.url, marker, ...(token === null ? {} : { token }) } },
    starter.headers,
  )
  if (status !== 202) throw new Error(`seed ${seed}: run ${nth} did not start: ${status} ${JSON.stringify(body)}`)
  const draw = dice.random()
  return { id: body.id, nth, kind, fate: fateOf(draw), marker, token, prey: dice.chance(0.4) }
}

const FATES: readonly [Fate, number][] = [
  ['approve', 0.48],
  ['insufficient', 0.62],
  ['silent', 0.82],
  ['reject', 0.9],
  ['cancel', 0.95],
  ['dismiss', 1],
]

function fateOf(draw: number): Fate {
  return FATES.find(([, below]) => draw < below)?.[0] ?? 'silent'
}

export function kindOf(name: string): Kind {
  const kind = KINDS[name]
  if (kind === undefined) throw new Error(`no runs are of kind ${name}`)
  return kind
}
