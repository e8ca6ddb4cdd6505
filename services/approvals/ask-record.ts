import type { DecisionClaim, GateCommand, GateOutcome } from '#core/contract.ts'
import { DomainError, isEnded } from '#core/errors.ts'
import type { DecisionContext } from '../context.ts'
import { decisionAnswer } from './gate-decision.ts'

type Sent = { kind: 'taken' } | { kind: 'failed'; error: unknown }
type Asked = Pick<DecisionClaim, 'run_id' | 'workspace_id' | 'lane'> & { gate_id: string }

/** After this long without a worker, a decision is recorded here: it does not queue behind starts, nor wait for workers to come back. */
export const NO_WORKER_AFTER_MS = 3_000
/** A decision that waits for another one on the same gate is recorded here after this long. */
const NO_TURN_AFTER_MS = 2 * NO_WORKER_AFTER_MS

/**
 * Sends a decision to its run and answers from the record, as soon as the record has it: the engine's answer comes later, and is a claim.
 * The run continues when a worker takes its Update, or when the sweep wakes it.
 */
export async function askRecord(
  ctx: Pick<DecisionContext, 'decisions' | 'engine' | 'subscribe' | 'record'>,
  gate: Asked,
  command: GateCommand,
): Promise<GateOutcome> {
  const signal = createSignal()
  const unsubscribe = ctx.subscribe?.(gate.run_id, signal.notify)
  const { run_id, workspace_id, lane } = gate
  let late = false
  const onLate = () => {
    late = true
    signal.notify()
  }
  const timers = [setTimeout(onLate, NO_TURN_AFTER_MS)]
  const onSent = () => timers.push(setTimeout(onLate, NO_WORKER_AFTER_MS))
  try {
    let sent: Sent | undefined
    ctx.engine.decide(gate.run_id, command, onSent).then(
      () => {
        sent = { kind: 'taken' }
        signal.notify()
      },
      (error: unknown) => {
        sent = { kind: 'failed', error }
        signal.notify()
      },
    )
    for (;;) {
      await signal.wait()
      const over = sent
      if (late && over === undefined) {
        late = false
        // a run that its engine has lost takes no decision: the sweep ends it
        const alive = await ctx.engine.alive(run_id).catch(() => undefined)
        // the engine did not answer whether the workflow is open
        if (alive === undefined) onSent()
        if (alive !== true) continue
        const answer = await ctx.record.decision({ run_id, workspace_id, lane, given: command })
        if ('refused' in answer) throw new DomainError(answer.refused, 'the record refused the decision', { run_id })
      }
      const state = await ctx.decisions.read(gate.gate_id)
      const answer = state && decisionAnswer(state, command.decision_id)
      if (answer !== undefined) return answer
      // callers behind the decision that resolved the gate need not wait for the engine
      if (over === undefined && state !== undefined && state.status !== 'open')
        throw new DomainError('gate_resolved', `the gate is ${state.status}`, {
          run_id,
          gate_id: gate.gate_id,
        })
      if (over?.kind === 'failed') throw state?.status === 'open' ? unlessTruth(over.error) : over.error
      if (over?.kind === 'taken')
        throw new DomainError(
          'dependency_unavailable',
          'Temporal accepted the decision, but it is not recorded; try again',
          {
            retry_after_s: 2,
          },
        )
    }
  } finally {
    timers.forEach(clearTimeout)
    unsubscribe?.()
  }
}

/** The engine's message that a gate or its run has ended is wrong while the record says that the gate is open. */
function unlessTruth(error: unknown): unknown {
  const has_ended = error instanceof DomainError && isEnded(error.code)
  return has_ended
    ? new DomainError(
        'dependency_unavailable',
        'the engine has lost this run, or is about to continue it',
        { retry_after_s: 2 },
        { cause: error },
      )
    : error
}

/** A notification without a waiter is kept for the next wait. */
function createSignal() {
  let waiting: (() => void) | undefined
  let missed = false
  return {
    notify(): void {
      if (waiting === undefined) missed = true
      waiting?.()
      waiting = undefined
    },
    async wait(): Promise<void> {
      if (!missed) await new Promise<void>((resolve) => (waiting = resolve))
      missed = false
    },
  }
}
