import { describe, expect, it } from 'vitest'
import { chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { RunEvidence } from '#core/audit/evidence-schema.ts'
import type { AuditDraft, AuditRecord } from '#core/audit/types.ts'
import { evidenceDigest, verifyEvidence } from '#core/audit/verify-evidence.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { draft, sha256 } from './drafts.ts'

const RUN = 'run_00000000000000000000000001'
const digest = (value: unknown) => `sha256:${sha256(canonicalText(value))}`
const found = { value: { status: 200 }, digest: digest({ status: 200 }), bytes: 14 }
const settled = (step: string, data: AuditDraft['data']): Partial<AuditDraft> => ({
  action: 'step.settled',
  subject: { type: 'step', id: `${RUN}:${step}` },
  data: { attempt: 1, plan_hash: 'sha256:p', outputs_hash: '', ...data },
})
const taken = { run_id: 'run_00000000000000000000000002', attempt: 1, outputs_hash: found.digest }
const asked = { template: 'shown/post', environment: 'plain', requested_by: 'usr_ann', taken_over: { before: taken } }
const gate = { type: 'gate', id: 'gate_1' }
const EVENTS: Partial<AuditDraft>[] = [
  { action: 'run.admitted', subject: { type: 'run', id: RUN }, data: asked },
  settled('read', { state: 'succeeded', outputs_hash: found.digest }),
  { action: 'gate.decided', subject: gate, data: { decision: 'approve', status: 'open', note: null } },
  { action: 'gate.decided', subject: gate, data: { decision: 'approve', status: 'approved', note: null } },
  settled('act', { state: 'failed' }),
  { action: 'run.cancel_requested', subject: { type: 'run', id: RUN }, data: {} },
  { action: 'run.failed', subject: { type: 'run', id: RUN }, data: {} },
]

/** The evidence of a run that has failed, as the service writes it. */
function genuine(): RunEvidence {
  let head = GENESIS
  const records: AuditRecord[] = EVENTS.map((over, at) => {
    const by = ['gate.decided'].includes(over.action ?? '') ? `usr_${at}` : 'engine'
    const actor = { type: 'user', id: by, auth: 'jwt' } as const
    const { record } = chainRecord(head, draft(at, { run_id: RUN, channel: 'api', actor, ...over }), sha256)
    head = record
    return record
  })
  const decisions = [2, 3].map((at) => ({
    by: `usr_${at}`,
    decision: 'approve',
    channel: 'api',
    at: draft(at).ts,
  }))
  const step = { attempt: 1, plan_hash: 'sha256:p' }
  return structuredClone({
    run: {
      id: RUN,
      workspace_id: draft(1).workspace_id,
      status: 'failed',
      ...{ pack: 'shown', template: 'post', environment: 'plain', provenance: { actor: { id: 'usr_ann' } } },
      gates: [{ gate_id: gate.id, status: 'approved', decisions }],
    },
    steps: [
      { ...step, id: 'before', state: 'succeeded', outputs: found, taken_over_from: taken },
      { ...step, id: 'read', state: 'succeeded', outputs: found },
      { ...step, id: 'act', state: 'failed' },
      { ...step, id: 'after', state: 'pending', attempt: 0 },
    ],
    records,
    complete: true,
    head,
  }) as unknown as RunEvidence
}

function faultsOf(change: (evidence: RunEvidence) => void): string[] {
  const evidence = genuine()
  change(evidence)
  return verifyEvidence({ ...evidence, digest: evidenceDigest(evidence, sha256) }, sha256).faults
}

const stepOf = ({ steps }: RunEvidence, id: string) => steps.find((each) => each.id === id) ?? expect.fail(id)
const forged = { value: { status: 500 }, digest: digest({ status: 500 }), bytes: 14 }
const FORGERIES: Record<string, [change: (evidence: RunEvidence) => void, fault: RegExp]> = {
  'outputs under an attempt that no record knows': [
    (evidence) => Object.assign(stepOf(evidence, 'read'), { attempt: 9, outputs: forged }),
    /step read: no record says/,
  ],
  'a failed step that has succeeded': [
    (evidence) => Object.assign(stepOf(evidence, 'act'), { state: 'succeeded', attempt: 2, outputs: forged }),
    /step act: no record says/,
  ],
  'outputs that were never brought': [
    (evidence) => Object.assign(stepOf(evidence, 'act'), { outputs: forged }),
    /step act: record \d has other outputs/,
  ],
  'outputs that are said to be taken over': [
    (evidence) => Object.assign(stepOf(evidence, 'read'), { outputs: forged, taken_over_from: taken }),
    /step read: no record says that it was taken over/,
  ],
  'other outputs of a step that was taken over': [
    (evidence) => Object.assign(stepOf(evidence, 'before'), { outputs: forged }),
    /not those that were taken over/,
  ],
  'a step that is left out': [({ steps }) => void steps.splice(2, 1), /is about a step that is not here/],
  'one vote shown twice': [
    ({ run }) => void run.gates[0]?.decisions?.push(run.gates[0].decisions[0] ?? expect.fail()),
    /an answer that no record has/,
  ],
  'a vote at another time': [
    ({ run }) => void Object.assign(run.gates[0]?.decisions?.[0] ?? {}, { at: '2026-01-02T00:00:00.000Z' }),
    /at another time/,
  ],
  'a gate that was not rejected': [
    ({ run }) => void Object.assign(run.gates[0] ?? {}, { status: 'rejected' }),
    /no record says that it is rejected/,
  ],
  'a run that has not ended': [({ run }) => void Object.assign(run, { status: 'running' }), /that the run has ended/],
  'another environment': [({ run }) => void Object.assign(run, { environment: 'production' }), /another environment/],
  'another requester': [
    ({ run }) => void Object.assign(run, { provenance: { actor: { id: 'usr_bob' } } }),
    /another requested_by/,
  ],
}

describe('the evidence of a run', () => {
  it('holds as the service writes it, also of a step that has failed', () =>
    expect(faultsOf(() => undefined)).toEqual([]))

  it('holds while a step that has failed once waits, and when it then ends with its run', () => {
    for (const state of ['ready', 'cancelled'] as const)
      expect(faultsOf((evidence) => Object.assign(stepOf(evidence, 'act'), { state }))).toEqual([])
  })

  it.each(Object.entries(FORGERIES))('does not hold with %s', (_, [change, fault]) =>
    expect(faultsOf(change).join('\n')).toMatch(fault),
  )
})
