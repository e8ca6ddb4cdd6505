import type { StepDeps } from '#activities/deps.ts'
import { executionFailure } from '#activities/index.ts'
import { failRun } from '#activities/run/end-run.ts'
import type { RunSession } from '#activities/run/run-session.ts'
import { workOn } from '#activities/step/work.ts'
import type { RunClaim } from '#core/contract.ts'
import { GATE_KINDS, type GateKind } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { type RunPatch, TAKING } from '#core/run/patch.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { expireDueGate } from '#services/approvals/expire-gate.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import { ClaimRefused } from '#services/approvals/refuse-claim.ts'
import { closeRun } from '#services/runs/close-run.ts'
import { recordCancel } from '#services/runs/record-cancel.ts'
import type { Db } from '#store/db.ts'
import type { Recorded, Refusal, RunHead, StepRecord } from '#store/runs/run-answers.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { SHOWN_PLAN } from './park-gate.ts'
import { createRecordDeps } from './record-engine.ts'
import { ids, runDraft } from './run-drafts.ts'

const STEPS = ['first', 'second']

/** What can happen to a run, in any order and at any time. An execution does what `executeStep` would: it goes by the record of its step. */
export const RUN_COMMANDS = [
  ...(['take', 'open', 'succeed', 'skip', 'put_off', 'fail', 'stop', 'finish', 'hold_back', 'lose_worker'] as const),
  ...(['approve', 'reject', 'dismiss', 'expire', 'cancel', 'cancel_while_parking', 'close'] as const),
  ...GATE_KINDS.map((kind) => `park_${kind}` as const),
] as const
export type RunCommand = (typeof RUN_COMMANDS)[number]

export type LifeOfRun = Awaited<ReturnType<ReturnType<typeof runLives>>>

/** Runs of two steps on a real database, moved by the functions that move the product's. */
export const runLives = (db: Db) => async () => {
  const runs = createRunStore(db)
  const deps = createRecordDeps(db)
  const draft = runDraft()
  await runs.admit([draft])
  const run_id = draft.id
  const claim: RunClaim = { run_id, workspace_id: DEFAULT_WORKSPACE_ID, lane: draft.lane }
  let fence: number | undefined
  let acting = false
  let gate_id = ''
  const steps = new Map<string, Pick<StepRecord, 'state' | 'attempt'>>()

  const here = () => {
    const ordinal = STEPS.findIndex((id) => !['succeeded', 'skipped'].includes(steps.get(id)?.state ?? 'pending'))
    const step_id = STEPS[ordinal]
    const known = steps.get(step_id ?? '') ?? { state: 'pending', attempt: 0 }
    return fence === undefined || step_id === undefined ? undefined : { step_id, ordinal, ...known }
  }
  /** the step that this execution has not begun itself */
  const next = () => (acting ? undefined : here())

  /** One write of the execution; an execution that is refused is over. */
  async function write(given: Omit<RunPatch, 'run_id' | 'fence'>, ends = false): Promise<Recorded | Refusal> {
    let patch = given
    if (fence === 0) {
      // nobody has taken the run yet: the first opening does, and anything else comes after a write of its own
      if (patch.open !== undefined) patch = { ...patch, ...TAKING }
      else {
        const taken = await runs.record({ run_id, fence, ...TAKING })
        fence = 'refused' in taken ? undefined : taken.fence
        if ('refused' in taken) return taken
      }
    }
    const recorded = await runs.record({ run_id, ...(fence === undefined ? { any_fence: true } : { fence }), ...patch })
    const { settle, open } = patch
    if (settle) steps.set(settle.step_id, settle)
    if (open) steps.set(open.step_id, { state: 'running', attempt: open.attempt })
    acting = open !== undefined
    if (patch.take_fence === true && !('refused' in recorded)) fence = recorded.fence
    if (ends || 'refused' in recorded) fence = undefined
    return recorded
  }

  async function settle(state: StepRecord['state'], from: StepRecord['state'][], run?: RunPatch['run']): Promise<void> {
    const step = here()
    if (step === undefined || !from.includes(step.state)) return
    const { step_id, ordinal, attempt } = step
    await write({ settle: { step_id, ordinal, attempt, state }, ...(run && { run }) }, run !== undefined)
  }

  async function park(kind: GateKind): Promise<void> {
    const step = kind === 'outcome_unknown' ? here() : next()
    if (step === undefined || (kind === 'outcome_unknown' && step.state !== 'running')) return
    const { step_id, ordinal, attempt } = step
    gate_id = ids.next('gate')
    await write(
      {
        ...(kind === 'outcome_unknown' && { settle: { step_id, ordinal, attempt, state: 'outcome_unknown' } }),
        gate: {
          ...{ id: gate_id, step_id, ordinal, attempt, kind, plan_hash: SHOWN_PLAN, view: {} },
          required: { approvals: 1, approval_roles: [], prevent_self: false },
          expires_at: '2099-01-01T00:00:00.000Z',
        },
      },
      true,
    )
  }

  async function decide(kind: 'approve' | 'reject' | 'dismiss'): Promise<void> {
    const given = {
      ...{ gate_id, decision_id: ids.next('decision'), kind, plan_hash: SHOWN_PLAN, by: 'usr_ann', display: 'ann' },
      ...{ type: 'user', roles: ['approver'], channel: 'api', asserted: true },
    }
    await recordDecision(deps, { ...claim, given })
  }

  const does: Record<RunCommand, () => Promise<unknown>> = {
    async take() {
      const taken = await runs.take(run_id, claim)
      const parked = 'refused' in taken || taken.head.gates.some(({ status }) => status === 'open')
      fence = parked ? undefined : taken.recorded.fence
      acting = false
      if (!('refused' in taken)) for (const step of taken.head.steps) steps.set(step.step_id, step)
    },
    async open() {
      const step = next()
      if (step === undefined) return
      const { step_id, ordinal, attempt } = step
      await write({ open: { step_id, ordinal, attempt: attempt + 1, plan_hash: SHOWN_PLAN, reserve_micro_usd: 10 } })
    },
    succeed: () => settle('succeeded', ['pending', 'ready', 'running']),
    skip: () => settle('skipped', ['pending', 'ready']),
    put_off: () => settle('ready', ['pending', 'running']),
    fail: () => settle('failed', ['pending', 'ready', 'running'], { status: 'failed', error: { code: 'x' } }),
    async stop() {
      if ((await deps.decisions.runState(run_id))?.status === 'cancelling') await settle('cancelled', ['running'])
    },
    async finish() {
      if (fence !== undefined && here() === undefined) await write({ run: { status: 'succeeded', outputs: {} } }, true)
    },
    async hold_back() {
      if (next() !== undefined) await write({ run: { status: 'cancelled', status_reason: 'standing_lost' } }, true)
    },
    async lose_worker() {
      fence = undefined
    },
    park_approval: () => park('approval'),
    park_outcome_unknown: () => park('outcome_unknown'),
    park_standing_lost: () => park('standing_lost'),
    approve: () => decide('approve'),
    reject: () => decide('reject'),
    dismiss: () => decide('dismiss'),
    async expire() {
      await db`update gates set expires_at = now() where run_id = ${run_id} and status = 'open'`
      await expireDueGate(deps, { ...claim, gate_id })
    },
    cancel: () => recordCancel(deps, { ...claim, command: null }),
    /** the execution parks after the run was read and before the cancellation is written */
    cancel_while_parking: () =>
      recordCancel(
        {
          ...deps,
          runs: {
            async record(patch) {
              await park('approval')
              return await runs.record(patch)
            },
          },
        },
        { ...claim, command: null },
      ),
    async close() {
      const cancelling = (await deps.decisions.runState(run_id))?.status === 'cancelling'
      await closeRun(deps, claim, cancelling ? null : executionFailure('gone'))
    },
  }

  /** As an execution ends whose run's outputs cannot be rendered. */
  async function failOutputs(): Promise<void> {
    const [head] = await db<RunHead[]>`select * from runs where id = ${run_id}`
    const planned = STEPS.map((id) => ({ id }) as PlanStep)
    const last = planned.at(-1)
    if (head === undefined || last === undefined || fence === undefined) throw new Error('no execution holds the run')
    const session = {
      head,
      fence,
      plan: { steps: planned },
      steps,
      pending: null,
      released: false,
      redactor: createRedactor([]),
    }
    const failure = { code: 'outputs_invalid' as const, message: 'no such output', retryable: false }
    // of what a step stands on, this way needs what records stand on
    await failRun(workOn(deps as unknown as StepDeps, session as unknown as RunSession, last), failure)
  }

  return {
    run_id,
    write,
    failOutputs,
    status: async () => (await deps.decisions.runState(run_id))?.status,
    /** What the record refuses changes nothing; whatever else is thrown is a fault. */
    async does(command: RunCommand): Promise<void> {
      try {
        await does[command]()
      } catch (error) {
        if (!(error instanceof ClaimRefused)) throw error
      }
    },
  }
}
