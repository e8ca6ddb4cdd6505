import { CancellationScope, condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow'
import {
  type ActionActivities,
  type ActionInput,
  type ActionResult,
  type Addressee,
  type NoticeKind,
  type NoticePlan,
  STAND_DOWN,
} from '#core/action-contract.ts'

const standDown = defineSignal(STAND_DOWN)

const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const
const { planNotice } = proxyActivities<ActionActivities>({ startToCloseTimeout: '10s', retry })

const ATTEMPT_TIMEOUT = '30s'
/** How long a message that is out of date is worth correcting. */
const CORRECT_WITHIN_MS = 24 * 3_600_000

interface ActionState {
  stood_down: boolean
  delivered: Record<NoticeKind, number>
  /** deliveries under way; a resolution calls them off */
  telling: CancellationScope
  told: Promise<void>[]
}

/** Tells people about one gate: at once, as a reminder, to others when nobody answers, and that it is over. */
export async function actionV1(input: ActionInput): Promise<ActionResult> {
  const state: ActionState = {
    stood_down: false,
    delivered: { opened: 0, reminder: 0, escalated: 0, resolved: 0 },
    telling: new CancellationScope({ cancellable: true }),
    told: [],
  }
  setHandler(standDown, () => {
    state.stood_down = true
  })
  const plan = await planNotice({ ...input, kind: 'opened' })
  if (plan.due) {
    tell(input, state, plan, 'opened')
    for (const { kind, at } of dueLater(plan)) {
      if (await resolvedBefore(state, at, kind)) break
      const next = await planNotice({ ...input, kind })
      if (!next.due) break
      tell(input, state, next, kind)
    }
    await resolvedBefore(state, Date.parse(plan.ends_at), 'the decision')
    state.telling.cancel()
    await Promise.all(state.told)
  }
  if (state.stood_down && state.told.length > 0) {
    const closing = await planNotice({ ...input, kind: 'resolved' })
    await Promise.all(
      closing.addressees.map((addressee) => deliver(input, state, 'resolved', addressee, CORRECT_WITHIN_MS)),
    )
  }
  return { delivered: state.delivered, stood_down: state.stood_down }
}

/** What follows the first notice. A reminder whose time passed while the engine was away would only repeat it. */
function dueLater({ remind_at, escalate_at }: NoticePlan): { kind: 'reminder' | 'escalated'; at: number }[] {
  const reminder = remind_at === null ? Number.NaN : Date.parse(remind_at)
  return [
    ...(reminder > Date.now() ? [{ kind: 'reminder' as const, at: reminder }] : []),
    ...(escalate_at === null ? [] : [{ kind: 'escalated' as const, at: Date.parse(escalate_at) }]),
  ].sort((a, b) => a.at - b.at)
}

async function resolvedBefore(state: ActionState, time: number, summary: string): Promise<boolean> {
  return await condition(() => state.stood_down, Math.max(1, time - Date.now()), { summary })
}

/** One delivery per addressee, side by side: a channel that is away holds up none of the others. */
function tell(input: ActionInput, state: ActionState, plan: NoticePlan, kind: NoticeKind): void {
  const within_ms = Math.max(1_000, Date.parse(plan.expires_at) - Date.now())
  for (const addressee of plan.addressees) {
    state.told.push(state.telling.run(() => deliver(input, state, kind, addressee, within_ms)))
  }
}

async function deliver(
  input: ActionInput,
  state: ActionState,
  kind: NoticeKind,
  { channel, recipient }: Addressee,
  within_ms: number,
): Promise<void> {
  const { announceGate } = proxyActivities<ActionActivities>({
    startToCloseTimeout: ATTEMPT_TIMEOUT,
    scheduleToCloseTimeout: within_ms,
    // what is on its way arrives, and is then corrected like the rest
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry,
  })
  try {
    const { status } = await announceGate.executeWithOptions({ summary: `${kind} → ${channel}` }, [
      { ...input, kind, channel, recipient },
    ])
    if (status === 'delivered') state.delivered[kind] += 1
  } catch {
    // nobody could be reached in all that time, or the gate is over: the record says which
  }
}
