import { expect, test } from 'vitest'
import { buildPipelineTimeline } from '#core/audit/pipeline-timeline.ts'
import { pipelineTimelineLines } from '#core/audit/pipeline-timeline-lines.ts'
import type { AuditDraft, AuditEvent } from '#core/audit/types.ts'
import { draft } from './drafts.ts'

const PIPELINE = `pl_${'0'.repeat(26)}`
const run = (letter: string) => `run_${letter.repeat(26)}`

let seq = 0
function record(over: Partial<AuditDraft> & Pick<AuditDraft, 'action'>): AuditEvent {
  seq += 1
  const { run_id: _, ...rest } = draft(seq)
  return { ...rest, category: 'trigger', seq, ...over } as AuditEvent
}
const ofPipeline = (action: string, data: AuditDraft['data'] = {}) =>
  record({ action, subject: { type: 'pipeline', id: PIPELINE }, data })
const started = (id: string, step: string, more: AuditDraft['data'] = {}, pipeline_id = PIPELINE) =>
  record({
    action: 'run.admitted',
    run_id: id,
    subject: { type: 'run', id },
    data: { trigger: { type: 'pipeline', pipeline_id, step, ...more }, template: 'a/b', environment: 'live' },
  })
const admitted = ofPipeline('pipeline.admitted', {
  name: 'release',
  bundle: { path: 'data/release', digest: 'sha256:1' },
  environment: 'live',
  cap_usd: '2.500000',
  human_root: { user_id: 'usr_ann' },
})

test('tells who asked, who let what begin, each run, what was refused, and the end', () => {
  const timeline = buildPipelineTimeline([
    admitted,
    started(run('a'), 'load'),
    ofPipeline('pipeline.step_advanced', { step: 'load', note: 'the data is there' }),
    record({
      action: 'run.failed',
      category: 'lineage',
      run_id: run('a'),
      subject: { type: 'run', id: run('a') },
      data: { cost_usd: 0.25 },
    }),
    started(run('b'), 'load', { compensation: true }),
    ofPipeline('pipeline.cancel_requested', { reason: 'enough' }),
    ofPipeline('claim.refused', { times: 3 }),
    ofPipeline('pipeline.ended', { status: 'cancelled', runs: [run('a'), run('b'), run('c')] }),
  ])
  expect(timeline).toMatchObject({
    pipeline_id: PIPELINE,
    human_root: 'usr_ann',
    acts: [
      { act: 'advanced', step: 'load', note: 'the data is there' },
      { act: 'cancelled', step: null, note: 'enough' },
    ],
    runs: [
      { step: 'load', role: 'run', story: { run_id: run('a') } },
      { step: 'load', role: 'compensation', story: { run_id: run('b') } },
    ],
    not_started: [run('c')],
    refused: 3,
    cost_usd: '0.250000',
    ended: { status: 'cancelled' },
    as_approved: true,
  })
  const lines = pipelineTimelineLines(timeline ?? expect.fail('no timeline'))
  expect(lines[0]).toBe(`pipeline  ${PIPELINE}: release of data/release (sha256:1) in live`)
  expect(lines).toContain('step      load, compensation')
  expect(lines).toContain(`refused   the start of ${run('c')}, which has no record of its own`)
  expect(lines.at(-1)).toBe('approved  nothing ran that had to be approved')
})

test('one run that ran otherwise than approved is told of the whole', () => {
  const effect = record({
    action: 'policy.decided',
    run_id: run('a'),
    subject: { type: 'step', id: `${run('a')}.act` },
    data: {
      led_to: 'effect',
      gate: true,
      approved_by: 'gate_none',
      plan_hash: 'sha256:2',
      operator: 'http.request@1',
      attempt: 1,
    },
  })
  const timeline = buildPipelineTimeline([admitted, started(run('a'), 'load'), effect])
  expect(timeline).toMatchObject({ as_approved: false, ended: null })
  expect(pipelineTimelineLines(timeline ?? expect.fail('no timeline')).at(-1)).toMatch(/^approved {2}NO:/)
})

test('a run that only says so is none of it', () => {
  const liar = started(run('a'), 'load')
  const other = { ...liar, data: { ...liar.data, trigger: { type: 'alert', pipeline_id: PIPELINE, step: 'load' } } }
  expect(buildPipelineTimeline([admitted, other, started(run('b'), 'load', {}, 'pl_other')])?.runs).toEqual([])
  expect(buildPipelineTimeline([other])).toBeUndefined()
})
