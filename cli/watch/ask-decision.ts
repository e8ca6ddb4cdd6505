import { isCancel, select, text } from '@clack/prompts'
import type { Schema } from '#client/create-client.ts'

export type Answer = { decision: 'approve' | 'reject'; note?: string } | 'leave' | 'gone'

type Choice = 'approve' | 'reject' | 'leave'

const CHOICES: Record<Choice, { value: Choice; label: string; hint: string }> = {
  approve: { value: 'approve', label: 'Approve', hint: 'exactly this plan will run' },
  reject: { value: 'reject', label: 'Reject', hint: 'nothing of it will happen' },
  leave: { value: 'leave', label: 'Leave', hint: 'another user decides, or later' },
}

/** Asks the user at the terminal; `gone` when `signal` reports that the gate was resolved meanwhile. */
export async function askDecision(
  pending: Schema<'PendingApproval'>,
  preferred: 'approve' | 'reject' | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const options = [...pending.allowed_decisions, 'leave' as const].map((each: Choice) => CHOICES[each])
  const initialValue = preferred ?? 'leave'
  const decision = await select<Choice>({ message: 'Your decision', options, initialValue, signal })
  if (signal.aborted) return 'gone'
  if (isCancel(decision) || decision === 'leave') return 'leave'
  const { require_note } = pending.required
  const needed = require_note === 'always' || (require_note === 'reject' && decision === 'reject')
  const note = await text({
    message: needed ? 'Note' : 'Note (optional)',
    signal,
    validate: (value) => (needed && !value?.trim() ? 'this gate asks for a note' : undefined),
  })
  if (signal.aborted) return 'gone'
  if (isCancel(note)) return 'leave'
  const trimmed = (note ?? '').trim()
  return trimmed === '' ? { decision } : { decision, note: trimmed }
}
