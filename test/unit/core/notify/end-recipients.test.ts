import { describe, expect, it } from 'vitest'
import { type EndedRun, endRecipients } from '#core/notify/end-recipients.ts'

const gate = (gate_id: string, status: EndedRun['gates'][number]['status'], escalate_to: string[] = []) => ({
  gate_id,
  status,
  channels: ['chat'],
  escalate_to,
})
const askedAs = (gate_id: string, recipient: string) => ({ gate_id, channel: 'mail', recipient })
const NOBODY = { escalate_to: [] }

describe('whoHears', () => {
  it('tells how it ended to the one who was asked, after an approval', () => {
    const run: EndedRun = { status: 'succeeded', gates: [gate('a', 'approved')], asked: [askedAs('a', 'ann')] }
    expect(endRecipients(run, NOBODY)).toEqual({ channels: ['chat'], people: [askedAs('a', 'ann')], spared: [] })
  })

  it('tells nobody twice of a gate that took the run with it, and those who were asked before are still told', () => {
    for (const status of ['rejected', 'expired', 'cancelled'] as const) {
      const asked = [askedAs('a', 'ann'), askedAs('b', 'bob')]
      const run: EndedRun = { status, gates: [gate('a', 'approved'), gate('b', status)], asked: asked }
      expect(endRecipients(run, NOBODY)).toMatchObject({ people: [askedAs('a', 'ann')], spared: [askedAs('b', 'bob')] })
    }
  })

  it('escalates the failure of what a person approved, by its gate or else by its environment', () => {
    const failed = (escalate_to: string[]): EndedRun => ({
      status: 'failed',
      gates: [gate('a', 'approved', escalate_to)],
      asked: [],
    })
    expect(endRecipients(failed(['boss']), { escalate_to: ['duty'] }).channels).toEqual(['chat', 'boss'])
    expect(endRecipients(failed([]), { escalate_to: ['duty'] }).channels).toEqual(['chat', 'duty'])
    expect(endRecipients({ ...failed(['boss']), status: 'succeeded' }, NOBODY).channels).toEqual(['chat'])
  })

  it('tells what nobody decided only to whom the environment names for such an end', () => {
    const run: EndedRun = { status: 'failed', gates: [], asked: [] }
    const notify = { on: ['failed' as const], channels: ['ops'] }
    expect(endRecipients(run, { notify, escalate_to: ['boss'] }).channels).toEqual(['ops'])
    expect(endRecipients({ ...run, status: 'succeeded' }, { notify, escalate_to: [] }).channels).toEqual([])
    expect(endRecipients(run, { escalate_to: ['boss'] }).channels).toEqual([])
  })

  it('tells of a run that ended processes to all whom its environment names, no matter what else they are told', () => {
    const run: EndedRun = { status: 'failed', status_reason: 'process_ended', gates: [], asked: [] }
    const notify = { on: ['rejected' as const], channels: ['ops'] }
    expect(endRecipients(run, { notify, escalate_to: ['duty', 'ops'] }).channels).toEqual(['ops', 'duty'])
    expect(endRecipients({ ...run, status_reason: 'timeout' }, { notify, escalate_to: ['duty'] }).channels).toEqual([])
  })

  it('tells a failure to anyone who still waits at its gate', () => {
    const run: EndedRun = { status: 'failed', gates: [gate('a', 'cancelled')], asked: [askedAs('a', 'ann')] }
    expect(endRecipients(run, NOBODY)).toMatchObject({ people: [askedAs('a', 'ann')], spared: [] })
  })
})
