import type { Schema } from '#client/create-client.ts'
import { answeredBy } from '#client/gate-text.ts'
import { modelsText } from '#core/run/model-text.ts'
import { connectionText, queueText } from '#core/run/shown-data.ts'
import { pc, printable, printableLines } from '../views/format.ts'

/** Shows exactly what is being approved, line by line; nothing in it can move the cursor or hide a part of it. */
export function showPending(say: (line: string) => void, pending: Schema<'PendingApproval'>): void {
  const { plan, operation, required } = pending
  const row = (label: string, value: string) => say(`   ${pc.dim(label.padEnd(10))} ${printable(value)}`)
  const block = (label: string, value: string) => {
    const [first = '', ...rest] = printableLines(value)
    row(label, first)
    for (const line of rest) row('', line)
  }
  say(`\n   ${pc.bold('To be approved:')} ${printable(plan.summary)}`)
  if (plan.command) block('command', plan.command)
  if (plan.diff) block('changes', plan.diff.body)
  row('operator', `${operation.operator}, risk ${operation.risk}, environment ${operation.environment}`)
  if (operation.targets.ids.length > 0) row('targets', operation.targets.ids.join(', '))
  if (operation.connection) row('connection', connectionText(operation.connection.id, operation.connection))
  if (operation.queue) row('queue', queueText(operation.queue))
  if (operation.models) row('models', modelsText(operation.models))
  for (const [name, value] of Object.entries(operation.deployment ?? {})) row(name, valueText(value))
  const egress = operation.egress ?? []
  if (egress.length > 0) row('egress', `public addresses, ${egress.join(', ')}`)
  row('because', pending.because.map(reasonText).join('; '))
  if (pending.reason) row('reason', pending.reason)
  const asked = [pending.requester, pending.on_behalf_of].flatMap((person) => (person ? [nameOf(person)] : []))
  if (asked.length > 0) row('asked by', asked.join(' for '))
  const roles = required.approval_roles.map((clause) => clause.join(' or ')).join(' and ')
  if (roles || required.approvals > 1)
    row(
      'needs',
      `${count(required.approvals, 'approval')}${roles ? `, ${required.approvals > required.approval_roles.length ? 'among them' : 'from'} ${roles}` : ''}; ${count(pending.decisions.filter(({ counts }) => counts).length, 'vote')} so far`,
    )
  for (const { by, person, via, decision, counts, note } of pending.decisions) {
    const who = `${person ? nameOf(person) : answeredBy({ by })}${via ? ` through ${nameOf(via)}` : ''}`
    row('voted', `${who}: ${decision}${note ? ` (${note})` : ''}${counts ? '' : ', which counts no longer'}`)
  }
  if (pending.decisions.length > 0) row('missing', pending.missing.text)
  for (const { title, excerpt, cut, ref } of pending.evidence)
    if (excerpt !== undefined) block('evidence', `${title}\n${excerpt}${cut ? `\n(all of it: ${ref})` : ''}`)
  if (pending.simulation !== undefined) row('simulated', JSON.stringify(pending.simulation))
  if (pending.broken_policies.length > 0) row('broken', `policies ${pending.broken_policies.join(', ')}`)
  for (const { id, reason, by } of pending.halts ?? [])
    row('halted', `${reason} (${by}, ${id}); continues when it is lifted`)
  row('plan hash', pending.plan_hash)
  row('expires', pending.expires_at)
  say('')
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null ? 'none' : JSON.stringify(value)
}

function nameOf({ display, email }: { display: string; email?: string | undefined }): string {
  return email === undefined || email === display ? display : `${display} <${email}>`
}

function reasonText(reason: string): string {
  return reason === 'plan_changed' ? 'what was approved before is not what would run now (plan_changed)' : reason
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
