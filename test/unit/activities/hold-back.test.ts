import { expect, test, vi } from 'vitest'
import { DomainError } from '#core/errors.ts'
import type { Operator } from '#core/operator.ts'
import type { OpeningRefusal } from '#store/runs/run-answers.ts'
import { gatedStep } from '#test/support/gated-step.ts'

const HALTED: OpeningRefusal = { refused: 'halted', halt_id: 'halt_1' }
const LOST: OpeningRefusal = { refused: 'standing_lost', who: 'usr_1', why: 'not_active' }
const HELD = /"kind":"delayed".*"reason":"halted".*"status_reason":"halted"/

function operator() {
  const execute = vi.fn(async () => ({ outputs: {} }))
  const simulate = vi.fn(async () => ({ ok: true, summary: 'nothing happened' }))
  const acting: Operator = {
    ...{ id: 'test.act', version: 1, title: 'Act', risk: 'low', action_type: 'service.restart', capabilities: [] },
    ...{ requires_approval: false, input_schema: {}, wants_scope: false },
    parse: (input) => input,
    replay: () => 'safe',
    describe: () => ({ summary: 'act', targets: { kind: 'test', ids: [] } }),
    execute,
    simulate,
  }
  return { acting, execute, simulate }
}

/** An approved step whose record, and every answer after it, comes too late. */
async function slowStep(signal?: AbortSignal) {
  const { acting, execute } = operator()
  let now = 0
  const late = () => {
    now += 201
  }
  const audit = { offer: () => undefined, acknowledged: async () => late() }
  const deps = { monotonic: () => now, audit }
  const step = gatedStep({ operator: acting, input: {}, deps, ...(signal !== undefined && { signal }) })
  await step.ask()
  step.approve()
  return { step, execute, late }
}
const GIVEN_BACK = { settle: { state: 'ready', attempt: 0, unsent: true } }

test('a halt that comes while the record of an opening is slow in becoming durable is heard before the effect', async () => {
  const { step, execute } = await slowStep()
  step.refuse = () => HALTED
  await expect(step.ask()).rejects.toThrow(HELD)
  expect(execute).not.toHaveBeenCalled()
  expect(step.patches.slice(-2)).toMatchObject([GIVEN_BACK, { run: { status: 'running', status_reason: 'halted' } }])
})

test('a halt that comes while the operator still gets ready is heard before the effect', async () => {
  const { acting } = operator()
  const sent = vi.fn()
  let now = 0
  let reached = true
  acting.execute = async (ctx) => {
    if (!reached) {
      now += 201
      step.refuse = () => HALTED
    }
    await ctx.beforeSending()
    sent()
    return { outputs: {} }
  }
  const step = gatedStep({ operator: acting, input: {}, requires_approval: false, deps: { monotonic: () => now } })
  await step.ask()
  expect(sent).toHaveBeenCalledOnce()
  reached = false
  await expect(step.ask()).rejects.toThrow(HELD)
  expect(sent).toHaveBeenCalledOnce()
  expect(step.patches.slice(-2)).toMatchObject([GIVEN_BACK, { run: { status: 'running', status_reason: 'halted' } }])
})

test('a step whose answers all come too late gives back what it holds, and is tried again later', async () => {
  const { step, execute, late } = await slowStep()
  let asked = 0
  step.refuse = () => {
    late()
    asked += 1
    if (asked > 9) throw new Error('it asks on and on')
    return undefined
  }
  await expect(step.ask()).rejects.toMatchObject({ code: 'dependency_unavailable' })
  expect([asked, execute.mock.calls.length]).toEqual([3, 0])
  expect(step.patches.at(-1)).toMatchObject(GIVEN_BACK)
})

test('a step that is cancelled while its answers come too late gives back what it holds, and stops', async () => {
  const ending = new AbortController()
  const { step, execute, late } = await slowStep(ending.signal)
  let asked = 0
  step.refuse = () => {
    late()
    asked += 1
    ending.abort()
    if (asked > 9) throw new Error('it asks on and on')
    return undefined
  }
  await expect(step.ask()).rejects.toThrow('"kind":"stopped"')
  expect([asked, execute.mock.calls.length]).toEqual([1, 0])
  expect(step.patches.at(-1)).toMatchObject(GIVEN_BACK)
})

test('an owner is asked in the place of a requester who lost their standing, and row and record require the same', async () => {
  const { acting, simulate } = operator()
  const step = gatedStep({ operator: acting, input: {}, require_dry_run: true })
  step.refuse = () => LOST
  expect(await step.ask()).toMatchObject({ kind: 'standing_lost' })
  const required = { approvals: 1, approval_roles: [['owner']], prevent_self: false, vouches_for: ['usr_1'] }
  const { gate, audit } = step.patches.at(-1) ?? {}
  expect(gate?.required).toEqual(required)
  expect(audit?.find(({ action }) => action === 'gate.opened')?.data).toMatchObject({ required })
  expect(simulate).not.toHaveBeenCalled()
})

test('an effect names the approval of its step and, beside it, the gate in which an owner answered', async () => {
  const { acting, execute } = operator()
  const step = gatedStep({ operator: acting, input: {}, require_dry_run: true })
  const approved: (string | undefined)[] = []
  for (const refusal of [undefined, LOST]) {
    step.refuse = () => refusal
    approved.push((await step.ask())?.gate_id)
    step.approve()
  }
  step.refuse = () => undefined
  await step.ask()
  expect(execute).toHaveBeenCalledOnce()
  const effect = step.patches.at(-1)?.audit?.find(({ data }) => data['led_to'] === 'effect')
  expect([effect?.data['approved_by'], effect?.data['vouched_by']]).toEqual(approved)
})

test('what was opened a moment ago is not asked again', async () => {
  const { acting, execute } = operator()
  const step = gatedStep({ operator: acting, input: {} })
  await step.ask()
  step.approve()
  let asked = 0
  step.refuse = () => {
    asked += 1
    return undefined
  }
  await step.ask()
  expect([execute.mock.calls.length, asked]).toEqual([1, 0])
})

test('a run whose workspace is archived waits as under a halt, and says why', async () => {
  const { acting, simulate } = operator()
  const step = gatedStep({ operator: acting, input: {}, require_dry_run: true })
  step.refuse = () => ({ refused: 'halted', halt_id: null })
  await expect(step.ask()).rejects.toThrow(HELD)
  expect(simulate).not.toHaveBeenCalled()
  expect(step.patches.at(-1)?.events).toMatchObject([{ data: { cause: 'workspace_archived' } }])
})

test('nothing is simulated under a halt', async () => {
  const { acting, simulate } = operator()
  const verdict = {
    ...{ effect: 'require_dry_run' as const, matched: [], dry_run: true, approval_roles: [], channels: [] },
    ...{ broken_policies: [], snapshot_hash: '' },
  }
  const policies = { effective: async () => ({ snapshot_hash: '', decide: () => verdict }) }
  const step = gatedStep({ operator: acting, input: {}, deps: { policies } })
  step.refuse = () => HALTED
  await expect(step.ask()).rejects.toThrow(HELD)
  expect(simulate).not.toHaveBeenCalled()
})

test('nothing is simulated by an attempt whose fence was taken', async () => {
  const { acting, simulate } = operator()
  const settle = { step_id: 'before', ordinal: 0, state: 'succeeded' as const, attempt: 1 }
  const pending = { settle, events: [], audit: [] }
  const step = gatedStep({ operator: acting, input: {}, require_dry_run: true, pending })
  step.refuseRecord = () => ({ refused: 'fenced' })
  await expect(step.ask()).rejects.toThrow('"kind":"stopped"')
  expect(simulate).not.toHaveBeenCalled()
})

test('an audit log that cannot be written is named, also when the database goes away with it', async () => {
  const { acting, execute } = operator()
  let isAway = false
  const acknowledged = async () => {
    isAway = true
    throw new DomainError('audit_unavailable', 'the audit log cannot be written')
  }
  const step = gatedStep({ operator: acting, input: {}, deps: { audit: { offer: () => undefined, acknowledged } } })
  await step.ask()
  step.approve()
  step.refuseRecord = () => {
    if (isAway) throw new Error('the database is away')
    return undefined
  }
  await expect(step.ask()).rejects.toMatchObject({ code: 'audit_unavailable' })
  expect(execute).not.toHaveBeenCalled()
})
