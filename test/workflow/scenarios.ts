import type { TerminalStatus } from '#core/run/status.ts'
import {
  breaks,
  closes,
  delays,
  type Execution,
  fails,
  parks,
  runsUntilCancelled,
  yields,
} from '#test/support/scripted-activities.ts'
import type { ScriptedRun } from '#test/support/scripted-runs.ts'

/** One life of a run whose history is recorded under this name. */
export interface Scenario {
  name: string
  executions: Execution[]
  /** its history may not grow; the one that is recorded is that of the first execution */
  short?: boolean
  /** its first execution is tried beside the workflow task */
  near?: boolean
  play?(run: ScriptedRun): Promise<unknown>
  ends: TerminalStatus
}

/** A decision as soon as the gate stands. */
const once = (act: (run: ScriptedRun) => Promise<unknown>) => async (run: ScriptedRun) => {
  await run.parked()
  await act(run)
}

/** A signal while the execution that opened the gate has not reported it. */
function signalledEarly(): Scenario {
  let report = () => {}
  const signalled = new Promise<void>((resolve) => {
    report = resolve
  })
  return {
    name: 'approved-by-early-signal',
    executions: [parks({ onParked: () => signalled }), closes],
    async play(run) {
      await run.underWay()
      await run.signal({ decision: 'approve' })
      await run.decided()
      report()
    },
    ends: 'succeeded',
  }
}

/** A run whose history may not grow goes on in new executions, and takes its decisions in each. */
function wentOnAnew(): Scenario {
  let park = () => {}
  const parked = new Promise<void>((resolve) => {
    park = resolve
  })
  return {
    name: 'went-on-anew',
    executions: [delays, delays, delays, parks({ onParked: () => park() }), closes],
    short: true,
    async play(run) {
      await parked
      await run.decide('approve')
    },
    ends: 'succeeded',
  }
}

/** A halt holds the run: it waits by the record, also when it is woken for nothing, and goes on when it is woken after the halt. */
function heldAndWoken(): Scenario {
  let lift = () => {}
  const held: Execution = ({ delay }) => {
    delay(3_600_000)
    lift = () => delay(0)
    return { kind: 'delayed', delay_ms: 3_600_000, reason: 'halted' }
  }
  return {
    name: 'held-and-woken',
    executions: [held, closes],
    async play(run) {
      await run.parked()
      await run.wake()
      await run.waitsAgain()
      lift()
      await run.wake()
    },
    ends: 'succeeded',
  }
}

export const SCENARIOS: Scenario[] = [
  { name: 'straight-run', executions: [closes], ends: 'succeeded' },
  {
    name: 'approved-by-update',
    executions: [parks(), closes],
    play: once((run) => run.decide('approve')),
    ends: 'succeeded',
  },
  { name: 'rejected-by-update', executions: [parks()], play: once((run) => run.decide('reject')), ends: 'rejected' },
  {
    name: 'approved-by-signal',
    executions: [parks(), closes],
    play: once((run) => run.signal({ decision: 'approve', note: 'from the Temporal Web UI' })),
    ends: 'succeeded',
  },
  signalledEarly(),
  { name: 'expired-by-ttl', executions: [parks({ ttl_ms: 50 })], ends: 'expired' },
  { name: 'dismissed', executions: [parks()], play: once((run) => run.decide('dismiss')), ends: 'expired' },
  { name: 'cleared', executions: [parks()], play: once((run) => run.decide('cleared', 'system')), ends: 'expired' },
  { name: 'cancelled-while-parked', executions: [parks()], play: once((run) => run.cancel()), ends: 'cancelled' },
  {
    name: 'cancelled-while-running',
    executions: [runsUntilCancelled],
    async play(run) {
      await run.underWay()
      await run.cancel()
    },
    ends: 'cancelled',
  },
  {
    name: 'cancelled-in-temporal-while-parked',
    executions: [parks()],
    play: once((run) => run.handle.cancel()),
    ends: 'cancelled',
  },
  {
    name: 'cancelled-in-temporal-while-running',
    executions: [runsUntilCancelled],
    async play(run) {
      await run.underWay()
      await run.handle.cancel()
    },
    ends: 'cancelled',
  },
  { name: 'expired-by-the-clock-of-the-record', executions: [parks({ ttl_ms: 50, late_ms: 300 })], ends: 'expired' },
  {
    name: 'refused-and-approved',
    executions: [parks(), closes],
    play: once(async (run) => {
      await run.decide('approve', 'usr_1', 'gate_of_nobody').catch(() => undefined)
      await run.decide('approve')
    }),
    ends: 'succeeded',
  },
  wentOnAnew(),
  heldAndWoken(),
  { name: 'near', near: true, executions: [closes], ends: 'succeeded' },
  { name: 'near-yielded', near: true, executions: [yields, closes], ends: 'succeeded' },
  { name: 'near-given-up', near: true, executions: [breaks, closes], ends: 'succeeded' },
  { name: 'near-delayed', near: true, executions: [delays, closes], ends: 'succeeded' },
  {
    name: 'near-after-approval',
    near: true,
    executions: [parks(), closes],
    play: once((run) => run.decide('approve')),
    ends: 'succeeded',
  },
  {
    name: 'near-cancelled-while-parked',
    near: true,
    executions: [parks()],
    play: once((run) => run.cancel()),
    ends: 'cancelled',
  },
  { name: 'delayed', executions: [delays, closes], ends: 'succeeded' },
  { name: 'yielded', executions: [yields, closes], ends: 'succeeded' },
  { name: 'failed-leg', executions: [fails], ends: 'failed' },
  {
    name: 'quorum-of-two',
    executions: [parks({ approvals: 2 }), closes],
    play: once(async (run) => {
      await run.decide('approve', 'usr_1')
      await run.decide('approve', 'usr_2')
    }),
    ends: 'succeeded',
  },
  // since Temporal shows how a run stands
  {
    name: 'shown-approved',
    executions: [parks(), closes],
    play: once((run) => run.decide('approve')),
    ends: 'succeeded',
  },
  { name: 'shown-rejected', executions: [parks()], play: once((run) => run.decide('reject')), ends: 'rejected' },
  { name: 'shown-expired', executions: [parks({ ttl_ms: 50 })], ends: 'expired' },
  {
    name: 'shown-failed',
    executions: [parks(), () => ({ kind: 'closed', status: 'failed', code: 'unreachable' })],
    play: once((run) => run.decide('approve')),
    ends: 'failed',
  },
  { name: 'shown-failed-leg', executions: [fails], ends: 'failed' },
  { name: 'shown-cancelled', executions: [parks()], play: once((run) => run.cancel()), ends: 'cancelled' },
  {
    name: 'shown-cancelled-in-temporal',
    executions: [parks()],
    play: once((run) => run.handle.cancel()),
    ends: 'cancelled',
  },
]
