import type { JsonObject } from '#core/json/json.ts'
import type { OperationPlan, ShownText } from '#core/operator.ts'
import { type ShownData, shownData } from '#core/run/shown-data.ts'
import { secretMark } from '#core/secret/secret-mark.ts'
import { cutText } from '#core/text/text.ts'
import { visible } from '#core/text/visible-text.ts'
import type { RunSession } from '../run/run-session.ts'
import { idempotencyKey } from './run-operator.ts'
import type { JudgedWork } from './work.ts'

const MOST_BYTES = 16_384

/** The input of a step as the record keeps it: as approvers are shown it, and no larger than its place. */
export function shownInputs({ deps, judged }: JudgedWork): ShownData {
  return shownData(judged.redacted.shown, MOST_BYTES, deps.sha256)
}

export type ShownPlan = JsonObject & Omit<OperationPlan, 'command'> & { command?: string }

/** What will be done as people read it: secrets by their names, nothing unseen, everything else to the letter. */
export function describeOperation({ session, step, judged }: JudgedWork): ShownPlan {
  const { operator, input } = judged
  const { connection } = judged.resolved
  const way = {
    idempotency_key: idempotencyKey(session.head, step),
    ...(connection === undefined ? {} : { connection }),
  }
  const { command, ...plan } = operator.describe(input, way)
  return {
    ...session.redactor.shown(plan),
    ...(command === undefined ? {} : { command: shownText(session, command) }),
  }
}

function shownText({ redactor }: RunSession, text: ShownText): string {
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
