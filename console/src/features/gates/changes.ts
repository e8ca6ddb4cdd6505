import { STRINGS } from '../../strings.ts'
import type { PendingApproval } from './api.ts'

const { parts } = STRINGS.gates.changed

export interface Change {
  name: string
  before: string
  after: string
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** Returns what an approver reads, by section. */
function read({ operation, plan, inputs, because, required }: PendingApproval): [string, string][] {
  const { connection, targets, operator, environment, models, queue, deployment, egress } = operation
  return [
    [parts.summary, plan.summary],
    [parts.command, plan.command ?? ''],
    [parts.diff, plan.diff?.body ?? ''],
    [parts.operator, operator],
    [parts.environment, environment],
    [parts.connection, textOf(connection ?? '')],
    [parts.targets, targets.ids.join('\n')],
    [parts.inputs, textOf(inputs)],
    [parts.models, textOf(models ?? '')],
    [parts.queue, textOf(queue ?? '')],
    [parts.deployment, textOf(deployment ?? '')],
    [parts.egress, (egress ?? []).join('\n')],
    [parts.because, because.join('\n')],
    [parts.required, textOf(required)],
  ]
}

/** Returns the changes of a new plan against the shown one. */
export function changesBetween(before: PendingApproval, after: PendingApproval): Change[] {
  const now = new Map(read(after))
  return read(before).flatMap(([name, was]) => {
    const is = now.get(name) ?? ''
    return is === was ? [] : [{ name, before: was, after: is }]
  })
}
