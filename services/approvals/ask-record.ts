import type { GateCommand, GateOutcome } from '#core/contract.ts'
import { DomainError, isOver } from '#core/errors.ts'
import type { DecisionContext } from '../context.ts'
import { decisionAnswer } from './decision-answer.ts'

type Sent = { kind: 'taken' } | { kind: 'failed'; error: unknown }

/**
 * Sends a decision to its run and answers with what the record says of it, as soon as it says so: the engine's answer comes
 * later, and is a claim.
 */
export async function askRecord(
  ctx: Pick<DecisionContext, 'decisions' | 'engine' | 'hear'>,
  gate: { run_id: string; gate_id: string },
  command: GateCommand,
): Promise<GateOutcome> {
  const bell = createBell()
  const silence = ctx.hear?.(gate.run_id, bell.ring)
  try {
    let sent: Sent | undefined
    ctx.engine.decide(gate.run_id, command).then(
      () => {
        sent = { kind: 'taken' }
        bell.ring()
      },
      (error: unknown) => {
        sent = { kind: 'failed', error }
        bell.ring()
      },
    )
    for (;;) {
      await bell.rung()
      const over = sent
      const state = await ctx.decisions.read(gate.gate_id)
      const answer = state && decisionAnswer(state, command.decision_id)
      if (answer !== undefined) return answer
      if (over?.kind === 'failed') throw state?.status === 'open' ? unlessTruth(over.error) : over.error
      if (over?.kind === 'taken')
        throw new DomainError('dependency_unavailable', 'the engine took the decision, and the record has none', {
          retry_after_s: 2,
        })
    }
  } finally {
    silence?.()
  }
}

/** What the engine says of the end of a gate, or of its run, is not so while the record says that the gate is open. */
function unlessTruth(error: unknown): unknown {
  const said = error instanceof DomainError && isOver(error.code)
  return said
    ? new DomainError(
        'dependency_unavailable',
        'the engine has lost this run, or is about to go on with it',
        { retry_after_s: 2 },
        { cause: error },
      )
    : error
}

/** One that is rung while nobody waits is heard by whoever waits next. */
function createBell() {
  let waiting: (() => void) | undefined
  let missed = false
  return {
    ring(): void {
      if (waiting === undefined) missed = true
      waiting?.()
      waiting = undefined
    },
    async rung(): Promise<void> {
      if (!missed) await new Promise<void>((resolve) => (waiting = resolve))
      missed = false
    },
  }
}
