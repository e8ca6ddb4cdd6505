import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { pc, printable } from '../views/format.ts'
import { type Answer, askDecision } from './ask-decision.ts'
import type { Report } from './report.ts'

/** Answers one gate and notes the answer. */
export interface GateAnswerer {
  answer(pending: Schema<'PendingApproval'>, signal: AbortSignal): Promise<'continue' | 'leave'>
  /** the last decision that was taken, if any */
  decided(): 'approve' | 'reject' | undefined
}

/** The members of an answer besides the decision. */
export type AnswerExtras = Pick<Schema<'ApprovalDecision'>, 'note' | 'approver' | 'plan_hash'>

/** Sends the decision about exactly the plan that was shown. */
export function decide(
  api: ApiClient,
  pending: Schema<'PendingApproval'>,
  { decision, note, approver, plan_hash = pending.plan_hash }: Schema<'ApprovalDecision'>,
): Promise<Schema<'ApprovalOutcome'>> {
  return api.resume(pending.run_id, {
    decision,
    gate_id: pending.gate_id,
    plan_hash,
    ...(note !== undefined && { note }),
    ...(approver !== undefined && { approver }),
  })
}

/** Gives every gate the same answer. Throws errors of the API, except for a gate that was decided by another answer. */
export function answerAlways(api: ApiClient, report: Report, decision: Schema<'ApprovalDecision'>): GateAnswerer {
  let last: Schema<'ApprovalDecision'>['decision'] | undefined
  return {
    decided: () => last,
    async answer(pending) {
      report.pending(pending)
      try {
        report.outcome(await decide(api, pending, decision))
        last = decision.decision
      } catch (error) {
        if (!(error instanceof ApiProblem) || !isTooLate(error)) throw error
        report.say(printable(error.message))
      }
      return 'continue'
    },
  }
}

/** Asks the user at the terminal; after an error, again. */
export function answerByPerson(
  api: ApiClient,
  report: Report,
  options: { preferred?: Schema<'ApprovalDecision'>['decision']; rest?: AnswerExtras },
): GateAnswerer {
  const { rest: extras = {}, preferred } = options
  let last: Schema<'ApprovalDecision'>['decision'] | undefined
  return {
    decided: () => last,
    async answer(pending, signal) {
      report.pending(pending)
      for (let shown = pending; ; ) {
        const answer: Answer = await askDecision(shown, preferred, signal)
        if (answer === 'leave') return 'leave'
        if (answer === 'gone') {
          report.say('this gate was closed meanwhile')
          return 'continue'
        }
        try {
          report.outcome(await decide(api, shown, { ...extras, ...answer }))
          last = answer.decision
          return 'continue'
        } catch (error) {
          if (!(error instanceof ApiProblem) || error.status === 401 || error.status === 404) throw error
          report.say(`${pc.red('refused')}: ${printable(error.message)}`)
          if (isTooLate(error)) return 'continue'
          if (error.code === 'plan_changed' && extras.plan_hash === undefined) {
            shown = await api.pendingApproval(pending.run_id)
            report.pending(shown)
          }
        }
      }
    },
  }
}

/** Leaves every gate to others and prints how they can answer it. */
export function answerNever(report: Report): GateAnswerer {
  return {
    decided: () => undefined,
    async answer(pending) {
      report.pending(pending)
      report.say(`waiting; answer with: svc remote approve ${pending.run_id}`)
      return 'continue'
    },
  }
}

function isTooLate(error: ApiProblem): boolean {
  return ['gate_resolved', 'run_not_awaiting', 'run_terminal'].includes(error.code)
}
