import { CancellationScope, condition, defineSignal, setHandler } from '@temporalio/workflow'
import {
  GATE_CHANGED,
  type GateNoticesInput,
  type GateNoticesResult,
  type NoticeKind,
  type NoticePlan,
} from '#core/notify/contract.ts'
import { deliverNotice, planNotices } from './deliver-notice.ts'

const gateChanged = defineSignal(GATE_CHANGED)

/** Time during which a message that became wrong is corrected. */
const CORRECT_WITHIN_MS = 24 * 3_600_000
/** The record's clock decides whether something is due, and may be slower. */
const SHORTEST_WAIT_MS = 1_000

interface NoticeState {
  /** true after a signal that the gate has changed */
  changed: boolean
  delivered: Record<NoticeKind, number>
  /** running deliveries; a resolution cancels them */
  deliveries: CancellationScope
  announced: Map<number, Promise<void>>
}

/** Notifies people about one gate: at once, with reminders, with an escalation, and of its end. */
export async function actionV2(input: GateNoticesInput): Promise<GateNoticesResult> {
  const state: NoticeState = {
    changed: false,
    delivered: { opened: 0, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 0 },
    deliveries: new CancellationScope({ cancellable: true }),
    announced: new Map(),
  }
  const onChange = () => {
    state.changed = true
  }
  setHandler(gateChanged, onChange, {
    description: 'Has this read the gate again: it is resolved, or an account has answered it for somebody',
  })
  let plan = await planNotices(input)
  while (plan.open) {
    startDeliveries(input, state, plan)
    if (!(await isMoreToCome(state, plan))) break
    state.changed = false
    plan = await planNotices(input)
  }
  state.deliveries.cancel()
  await Promise.all(state.announced.values())
  if (!plan.open) {
    // late deliveries have arrived now, and are corrected like the rest
    const { notices } = state.announced.size === 0 ? plan : await planNotices(input)
    await Promise.all(notices.map((notice) => deliverNotice(input, state.delivered, notice, CORRECT_WITHIN_MS)))
  }
  return { delivered: state.delivered, stood_down: !plan.open }
}

async function isMoreToCome(state: NoticeState, plan: NoticePlan): Promise<boolean> {
  const { next_at, ends_at } = plan
  const wait_ms = Math.max(SHORTEST_WAIT_MS, Date.parse(next_at ?? ends_at) - nowOf(plan))
  const summary = next_at === null ? 'the decision' : 'the next notice'
  return (await condition(() => state.changed, wait_ms, { summary })) || next_at !== null
}

/** Returns the time by the clock of the plan's times: the engine's may differ. */
function nowOf({ now }: NoticePlan): number {
  return now === undefined ? Date.now() : Date.parse(now)
}

/** One delivery per notice, in parallel: an unavailable channel delays none of the others. */
function startDeliveries(input: GateNoticesInput, state: NoticeState, plan: NoticePlan): void {
  const within_ms = Math.max(1_000, Date.parse(plan.expires_at) - nowOf(plan))
  for (const notice of plan.notices) {
    if (state.announced.has(notice.notice_id)) continue
    state.announced.set(
      notice.notice_id,
      state.deliveries.run(() => deliverNotice(input, state.delivered, notice, within_ms)),
    )
  }
}
