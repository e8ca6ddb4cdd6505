import { canonicalText } from '../json/canonical.ts'
import { isTerminal } from '../run/status.ts'
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
      ...answerFaults(evidence),
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
    if (event.run_id !== run.id) fail('it is not about this run')
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

/** The answers that the run shows are those on record, with their times, channels and notes. */
function answerFaults({ run, records }: RunEvidence): string[] {
  const recorded = records.flatMap(({ event: { action, actor, channel, subject, data } }) =>
    action === 'gate.decided' && typeof data['decision'] === 'string'
      ? [
          answerText({
            gate_id: subject.id,
            by: visible(actor.id),
            decision: data['decision'],
            channel,
            note: visible(textIn(data['note'])),
          }),
        ]
      : [],
  )
  const shown = run.gates.flatMap(({ gate_id, decisions = [] }) =>
    decisions.map(({ by, decision, channel, note = '' }) => answerText({ gate_id, by, decision, channel, note })),
  )
  return [
    ...shown.filter((each) => !recorded.includes(each)).map((each) => `an answer that no record has: ${each}`),
    ...recorded.filter((each) => !shown.includes(each)).map((each) => `an answer that only the records have: ${each}`),
  ]
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

/** The plan hash and the outputs of each step that has ended are those on record. */
function stepFaults({ run, steps, records }: RunEvidence, sha256: Sha256): string[] {
  const faults: string[] = []
  for (const { id, attempt, state, plan_hash, outputs, taken_over_from } of steps) {
    if (
      outputs !== undefined &&
      'value' in outputs &&
      `sha256:${sha256(canonicalText(outputs.value))}` !== outputs.digest
    )
      faults.push(`step ${id}: its outputs do not have their digest`)
    if (taken_over_from !== undefined) continue
    const settled = records.findLast(
      ({ event: { action, subject, data } }) =>
        action === 'step.settled' && subject.id === `${run.id}:${id}` && data['attempt'] === attempt,
    )
    if (settled === undefined) continue
    const { data } = settled.event
    if (data['state'] !== state) faults.push(`step ${id}: record ${settled.seq} says ${textIn(data['state'])}`)
    if (typeof data['plan_hash'] === 'string' && plan_hash !== undefined && data['plan_hash'] !== plan_hash)
      faults.push(`step ${id}: record ${settled.seq} has another plan hash`)
    if (typeof data['outputs_hash'] === 'string' && data['outputs_hash'] !== outputs?.digest)
      faults.push(`step ${id}: record ${settled.seq} has other outputs`)
  }
  return faults
}

function endFaults({ run, records }: RunEvidence): string[] {
  const isRecorded = records.some(
    ({ event: { action, data, subject } }) =>
      action === `run.${run.status}` || (subject.type === 'gate' && data['status'] === run.status),
  )
  return [
    ...(records[0]?.event.action === 'run.admitted' ? [] : ['no record says who asked for the run']),
    ...(isRecorded || !isTerminal(run.status) ? [] : [`no record says that the run has ended as ${run.status}`]),
  ]
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
