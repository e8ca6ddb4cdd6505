import { createHash } from 'node:crypto'
import { chainLines } from './chain-lines.ts'

/** What somebody who has nothing but the file can say of a run. Shares no code with the product. */
export interface ChainTruth {
  human_root: string | null
  requested_by: string
  /** gates in the order in which they opened: what was required, who approved, how it ended */
  gates: {
    gate_id: string
    step: string
    kind: string
    required: unknown
    plan_hash: string
    status: string
    approved_by: string[]
    votes: string[]
  }[]
  /** `step plan_hash` of everything that was begun */
  ran: string[]
  /** everything that a gate had to let through ran by the plan that the last gate about its step approved, and names it */
  as_approved: boolean
  end: string | null
  cost_micro_usd: number
}

interface Event {
  action: string
  category: string
  actor: { id: string; auth: string }
  channel?: string
  run_id?: string
  subject: { type: string; id: string }
  data: Partial<Facts>
}

/** What this reader looks at in the records; each has its own. */
interface Facts {
  human_root: { user_id: string | null } | null
  requested_by: string
  gate_id: string
  step: string
  kind: string
  required: unknown
  plan_hash: string
  status: string
  decision: string | null
  via: string
  counted: { by: string }[]
  led_to: string
  attempt: number
  gate: boolean
  approved_by: string | null
  vouched_by: string | null
  cost_usd: string
}

/** Reads the audit log line by line, checks that each hash follows the one before, and tells every run. */
export function readChain(home: string): Map<string, ChainTruth> {
  const runs = new Map<string, ChainTruth>()
  const opened = new Set<string>()
  let prev = '0'.repeat(64)
  for (const line of chainLines(home)) {
    const { hash, prev_hash } = JSON.parse(line)
    const text = line.slice(line.indexOf('"event":') + '"event":'.length, -1)
    if (prev_hash !== prev || createHash('sha256').update(prev).update(text).digest('hex') !== hash)
      throw new Error(`the chain does not hold at ${line.slice(0, 40)}`)
    prev = hash
    take(runs, opened, JSON.parse(text))
  }
  return runs
}

function take(runs: Map<string, ChainTruth>, opened: Set<string>, event: Event): void {
  const { action, data, subject, run_id } = event
  if (action === 'run.admitted') {
    const human_root = data.human_root?.user_id ?? null
    const { requested_by = '' } = data
    runs.set(subject.id, {
      human_root,
      requested_by,
      gates: [],
      ran: [],
      as_approved: true,
      end: null,
      cost_micro_usd: 0,
    })
    return
  }
  const run = runs.get(run_id ?? '')
  if (run === undefined) return
  const gate = run.gates.find(({ gate_id }) => gate_id === (data.gate_id ?? subject.id))
  if (action === 'gate.opened') {
    const { gate_id = '', step = '', kind = '', required, plan_hash = '' } = data
    run.gates.push({ gate_id, step, kind, required, plan_hash, status: 'open', approved_by: [], votes: [] })
  } else if (subject.type === 'gate' && data.status !== undefined && gate !== undefined) {
    if (data.decision !== null)
      gate.votes.push([event.actor.id, data.via ?? '', data.decision, event.channel, event.actor.auth].join(' '))
    gate.status = data.status
    if (data.status === 'approved') gate.approved_by = (data.counted ?? []).map((vote) => vote.by).sort()
    else if (data.status !== 'open') run.end = data.status
  } else if (action === 'policy.decided' && data.led_to === 'effect') {
    const step = subject.id.split(':')[1] ?? ''
    // an attempt that is opened once more was given back before anything was sent
    const attempt = `${subject.id} ${data.attempt}`
    if (!opened.has(attempt)) run.ran.push(`${step} ${data.plan_hash}`)
    opened.add(attempt)
    const last = run.gates.filter((each) => each.step === step && each.kind !== 'standing_lost').at(-1)
    const isCovered = last?.status === 'approved' && last.plan_hash === data.plan_hash
    if ((data.gate || data.approved_by) && !(isCovered && last.gate_id === data.approved_by)) run.as_approved = false
    const owner = run.gates.find((each) => each.gate_id === data.vouched_by)
    if (data.vouched_by && !(owner?.kind === 'standing_lost' && owner.status === 'approved')) run.as_approved = false
  } else if (/^run\.(succeeded|failed|cancelled)$/.test(action)) run.end = action.slice(4)
  if (event.category === 'lineage' && data.cost_usd !== undefined)
    run.cost_micro_usd += Math.round(Number(data.cost_usd) * 1e6)
}
