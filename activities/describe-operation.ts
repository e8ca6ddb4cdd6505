import type { JsonObject } from '#core/json-pointer.ts'
import type { OperationPlan, ShownText } from '#core/operator.ts'
import { secretMark } from '#core/secret/secret-mark.ts'
import { idempotencyKey } from './run-operator.ts'
import type { RunSession } from './run-session.ts'
import type { JudgedWork } from './step-work.ts'

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
