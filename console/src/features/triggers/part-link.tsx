import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { useMe } from '../../lib/use-me.ts'
import type { TRIGGERS } from '../../strings/triggers.ts'

interface Props {
  part: 'rules' | 'environments' | 'profiles'
  name?: string
  create?: boolean
  children: ReactNode
}

/** Leads to a part of the page, to one thing of it, or to where a new one is written. */
export function PartLink({ part, name, create = false, children }: Props) {
  const search = { part, ...(name !== undefined && { name }), ...(create && { create: '1' }) }
  return (
    <Link to="/triggers" search={search} className="link">
      {children}
    </Link>
  )
}

export type TriggerPart = keyof typeof TRIGGERS.parts

/** Deliveries are for operators; the rest is for every signed-in user. */
export function triggerParts({ isOperator }: ReturnType<typeof useMe>): [TriggerPart, ...TriggerPart[]] {
  return ['schedules', 'rules', 'skills', ...(isOperator ? DELIVERIES : []), 'environments', 'profiles']
}

const DELIVERIES: readonly TriggerPart[] = ['deliveries', 'inbox']
