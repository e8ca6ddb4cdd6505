import { isTerminal } from '../run/status.ts'
import type { ChildRecord } from './snapshot.ts'

type Standing = Pick<ChildRecord, 'status'>

/** Whether a run may still come to something. */
export function isOpen({ status }: Standing): boolean {
  return status === 'starting' || (status !== 'refused' && !isTerminal(status))
}

/** Whether a run has ended, and not well. */
export function hasGoneWrong(child: Standing): boolean {
  return child.status !== 'succeeded' && !isOpen(child)
}

/** Compensations that did not succeed: what was to be taken back is still there. */
export function notTakenBack<Child extends Standing & Pick<ChildRecord, 'role'>>(children: readonly Child[]): Child[] {
  return children.filter((child) => child.role === 'compensation' && hasGoneWrong(child))
}
