import { costOf } from '#core/budget/charge.ts'
import type { JsonObject } from '#core/json/json.ts'
import { type MicroUsd, totalCost } from '#core/money.ts'
import { type OperationPlan, OperatorError, type ShownText } from '#core/operator.ts'
import { type ShownData, shownData } from '#core/run/shown-data.ts'
import type { Redactor } from '#core/secret/redactor.ts'
import { secretMark } from '#core/secret/secret-mark.ts'
import { cutText } from '#core/text/text.ts'
import { visible } from '#core/text/visible-text.ts'
import type { StepDeps } from '../deps.ts'
import { predictAsk } from './step-models.ts'
import type { JudgedStep } from './work.ts'

const MAX_BYTES = 16_384

/** The input of a step as the record keeps it: as approvers are shown it, and no larger than its place. */
export function shownInputs({ sha256 }: Pick<StepDeps, 'sha256'>, { redacted }: JudgedStep): ShownData {
  return shownData(redacted.shown, MAX_BYTES, sha256)
}

export type ShownPlan = JsonObject & Omit<OperationPlan, 'command'> & { command?: string }

/** What will be done as people read it: secrets by their names, nothing unseen, everything else to the letter. */
export function describeOperation(
  redactor: Redactor,
  { operator, input, resolved, idempotency_key }: JudgedStep,
): ShownPlan {
  const { connection, second_connection, deployment } = resolved
  const transport = {
    idempotency_key,
    ...(connection !== undefined && { connection }),
    ...(second_connection !== undefined && { second_connection }),
    ...(deployment !== undefined && { deployment }),
  }
  const { command, ...plan } = operator.describe(input, transport)
  return {
    ...redactor.shown(plan),
    ...(command === undefined ? {} : { command: shownText(redactor, command) }),
  }
}

function shownText(redactor: Redactor, text: ShownText): string {
  if (typeof text === 'string') return redactor.shown(text)
  return text.map((part) => (typeof part === 'string' ? redactor.shown(part) : secretMark(part.secret))).join('')
}

const MAX_TARGETS = 20
const TARGET_CHARACTERS = 500

/** What an operation is aimed at, as far as a record has room for it: the plan hash covers all of it. */
export function recordedTargets({ targets }: ShownPlan): JsonObject {
  const ids = targets.ids.slice(0, MAX_TARGETS).map((id) => cutText(visible(id), TARGET_CHARACTERS))
  return { kind: targets.kind, ids, count: targets.ids.length }
}

/** What one execution may cost, as people are told; of a step that asks a model, its first call. */
export async function estimateOf(deps: StepDeps, { operator, input, resolved }: JudgedStep): Promise<MicroUsd> {
  const estimated = totalCost(costOf(operator.estimate?.(input)))
  if (operator.asks === undefined) return estimated
  try {
    const { worst_case_micro_usd } = await predictAsk(deps, resolved.models, operator.asks(input).prompt)
    return estimated + worst_case_micro_usd
  } catch (error) {
    // nothing is asked where nothing is bound
    if (error instanceof OperatorError) return estimated
    throw error
  }
}
