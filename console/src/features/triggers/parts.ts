import type { useMe } from '../../lib/use-me.ts'
import type { TRIGGERS } from '../../strings/triggers.ts'

export type TriggerPart = keyof typeof TRIGGERS.parts

/** Deliveries are for operators; the rest is for every signed-in user. */
export function triggerParts({ isOperator }: ReturnType<typeof useMe>): [TriggerPart, ...TriggerPart[]] {
  return ['schedules', 'rules', 'skills', ...(isOperator ? DELIVERIES : []), 'environments', 'profiles']
}

const DELIVERIES: readonly TriggerPart[] = ['deliveries', 'inbox']
