import { GATE_STATUSES } from '../gate/types.ts'
import { canonicalText } from '../json/canonical.ts'
import { objectOf } from '../json/json.ts'
import { isTerminal, TERMINAL_STATUSES } from '../run/status.ts'
import { visible } from '../text/visible-text.ts'
import { GENESIS, type Sha256 } from './chain.ts'
import type { RunEvidence } from './evidence-schema.ts'

export interface EvidenceVerdict {
  /** what does not hold, in sentences; none where all of it does */
  faults: string[]
  /** pairs of neighbours in the chain among the records, whose link was checked */
  links: number
}

/** The digest of a document of evidence: over all of its members but the digest itself. */
export function evidenceDigest({ digest: _digest, ...rest }: Partial<RunEvidence>, sha256: Sha256): string {
  return `sha256:${sha256(canonicalText(rest))}`
}

/** Checks all that a document of evidence can show by itself. */
export function verifyEvidence(evidence: RunEvidence, sha256: Sha256): EvidenceVerdict {
  const { links, faults } = verifyChain(evidence, sha256)
  return {
    faults: [
      ...(evidenceDigest(evidence, sha256) === evidence.digest ? [] : ['the digest is not that of this file']),
      ...(evidence.complete ? [] : ['it does not have all records of the run']),
      ...faults,
      ...admissionFaults(evidence),
      ...answerFaults(evidence),
      ...gateFaults(evidence),
      ...stepFaults(evidence, sha256),
      ...endFaults(evidence),
    ],
    links,
  }
}

function verifyChain({ run, records, head }: RunEvidence, sha256: Sha256): EvidenceVerdict {
  const faults: string[] = []
  let links = 0
  for (const [place, { seq, hash, prev_hash, event }] of records.entries()) {
    const fail = (text: string) => void faults.push(`record ${seq}: ${text}`)
    const before = records[place - 1]
    if (sha256(prev_hash + canonicalText(event)) !== hash) fail('the hash is not that of its text')
    if (event.seq !== seq) fail(`the record says seq ${event.seq}`)
    if (event.run_id !== run.id || event.workspace_id !== run.workspace_id) fail('it is not about this run')
    if (before !== undefined && before.seq >= seq) fail('it is not in its place')
    if (before?.seq === seq - 1 || seq === 1) {
      links += 1
      if ((before?.hash ?? GENESIS.hash) !== prev_hash) fail('it does not follow the record before it')
    }
  }
  const last = records.at(-1)
  if (last !== undefined && (last.seq > head.seq || (last.seq === head.seq && last.hash !== head.hash)))
    faults.push(`the chain ends at ${head.seq}, before record ${last.seq} or with another hash`)
  return { faults, links }
}

/** What was asked for, where and by whom, is what was admitted. */
function admissionFaults({ run, records }: RunEvidence): string[] {
  const faults: string[] = []
  const [first] = records
  if (first?.event.action !== 'run.admitted') {
    faults.push('no record says who asked for the run')
    return faults
  }
  const { pack, template, environment, profile, inputs_hash, dry_run } = run
  const requested_by = objectOf(run.provenance['actor'])['id'] ?? null
  const shown = { template: `${pack}/${template}`, environment, profile, inputs_hash, dry_run, requested_by }
  const { data } = first.event
  for (const [name, value] of Object.entries(shown))
    if (data[name] !== undefined && data[name] !== value) faults.push(`record ${first.seq} has another ${name}`)
  return faults
}

/** Between the time in the record of an answer and that of its row: two clocks. */
const MAX_APART_MS = 300_000

/** The answers that the run shows are those on record, each once, with their times, channels and notes. */
function answerFaults({ run, records }: RunEvidence): string[] {
  const faults: string[] = []
  const left = records.flatMap(({ event: { action, actor, channel, subject, data, ts } }) =>
    action === 'gate.decided' && typeof data['decision'] === 'string'
      ? [
          {
            at: ts,
            text: answerText({
              gate_id: subject.id,
              by: visible(actor.id),
              decision: data['decision'],
              channel,
              note: visible(textIn(data['note'])),
            }),
          },
        ]
      : [],
  )
  for (const { gate_id, decisions = [] } of run.gates)
    for (const { by, decision, channel, note = '', at } of decisions) {
      const text = answerText({ gate_id, by, decision, channel, note })
      const place = left.findIndex((each) => each.text === text)
      const [recorded] = place === -1 ? [] : left.splice(place, 1)
      if (recorded === undefined) faults.push(`an answer that no record has: ${text}`)
      else if (Math.abs(Date.parse(recorded.at) - Date.parse(at)) > MAX_APART_MS)
        faults.push(`an answer that was given at another time, ${recorded.at}: ${text}`)
    }
  for (const { text } of left) faults.push(`an answer that only the records have: ${text}`)
  return faults
}

interface Answer {
  gate_id: string
  by: string
  decision: string
  channel: string | undefined
  note: string
}

function answerText({ gate_id, by, decision, channel = '', note }: Answer): string {
  return `${gate_id} ${decision} by ${by} (${channel})${note === '' ? '' : `: ${note}`}`
}

const GATE_ACTIONS: ReadonlySet<string> = new Set(['gate.decided', ...GATE_STATUSES.map((status) => `gate.${status}`)])

/** Each gate has ended as the records say. */
function gateFaults({ run, records }: RunEvidence): string[] {
  const faults: string[] = []
  const ends = new Map(
    records.flatMap(({ event: { action, subject, data } }) =>
      GATE_ACTIONS.has(action) ? [[subject.id, textIn(data['status'])] as const] : [],
    ),
  )
  for (const { gate_id, status } of run.gates) {
    const end = ends.get(gate_id)
    // a gate that its run has taken away with it has no record of its own
    const holds = end === undefined || end === 'open' ? status === 'open' || status === 'cancelled' : end === status
    if (!holds) faults.push(`gate ${gate_id}: no record says that it is ${status}`)
  }
  const shown = new Set(run.gates.map(({ gate_id }) => gate_id))
  for (const [gate_id, end] of ends)
    if (end !== 'open' && !shown.has(gate_id)) faults.push(`gate ${gate_id}: only the records have it`)
  return faults
}

/** The plan hash and the outputs of each step that has ended are those on record, of this run or of the one that it took them over from. */
function stepFaults({ run, steps, records }: RunEvidence, sha256: Sha256): string[] {
  const faults: string[] = []
  const digestOf = (value: unknown) => `sha256:${sha256(canonicalText(value))}`
  const taken = objectOf(records[0]?.event.data['taken_over'])
  const settlements = records.filter(({ event }) => event.action === 'step.settled')
  for (const { id, attempt, state, plan_hash, outputs, taken_over_from } of steps) {
    const fail = (text: string) => void faults.push(`step ${id}: ${text}`)
    if (outputs !== undefined && 'value' in outputs && digestOf(outputs.value) !== outputs.digest)
      fail('its outputs do not have their digest')
    const hasOutputs = (hash: unknown) =>
      hash === undefined || hash === ''
        ? state !== 'succeeded' && (outputs === undefined || outputs.digest === digestOf({}))
        : outputs?.digest === hash
    if (taken_over_from !== undefined) {
      const source = Object.hasOwn(taken, id) ? taken[id] : null
      if (canonicalText(source) !== canonicalText(taken_over_from))
        fail('no record says that it was taken over from there')
      else if (!hasOutputs(taken_over_from.outputs_hash)) fail('its outputs are not those that were taken over')
      continue
    }
    const settled = settlements.findLast(
      ({ event: { subject, data } }) => subject.id === `${run.id}:${id}` && data['attempt'] === attempt,
    )
    if (settled === undefined) {
      if (!hasOutputs(undefined)) fail('no record says what it has brought')
      continue
    }
    const { seq, event } = settled
    const was = textIn(event.data['state'])
    // what has failed once, or may have acted, can wait to be tried again, and end with its gate or its run
    const isLater = state !== 'succeeded' && state !== 'failed' && was !== 'succeeded'
    if (was !== state && !isLater) fail(`record ${seq} says ${was}`)
    if (typeof event.data['plan_hash'] === 'string' && plan_hash !== undefined && event.data['plan_hash'] !== plan_hash)
      fail(`record ${seq} has another plan hash`)
    if (!hasOutputs(event.data['outputs_hash'])) fail(`record ${seq} has other outputs`)
  }
  const shown = new Set(steps.map(({ id }) => `${run.id}:${id}`))
  for (const { seq, event } of settlements)
    if (!shown.has(event.subject.id)) faults.push(`record ${seq} is about a step that is not here`)
  return faults
}

/** The run has ended as the last record of an end says, or not yet. */
function endFaults({ run, records }: RunEvidence): string[] {
  const faults: string[] = []
  const ends = records.flatMap(({ event: { action, data, subject } }) => {
    const isOfRun = action.startsWith('run.')
    const said = isOfRun ? action.slice('run.'.length) : subject.type === 'gate' ? data['status'] : undefined
    const end = TERMINAL_STATUSES.find((status) => status === said)
    return end === undefined ? [] : [{ end, isOfRun }]
  })
  if (!isTerminal(run.status)) {
    if (ends.some(({ isOfRun }) => isOfRun))
      faults.push(`the records say that the run has ended, not that it is ${run.status}`)
  } else if (ends.at(-1)?.end !== run.status) faults.push(`no record says that the run has ended as ${run.status}`)
  return faults
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
