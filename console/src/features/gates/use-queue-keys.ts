import { useEffect, useRef } from 'react'
import { isTyping } from '../../lib/is-typing.ts'
import type { Decision } from './api.ts'

interface QueueActions {
  move(by: number): void
  answer(decision: Decision): void
  /** the chosen gates of an open group */
  answerChosen(decision: Decision): void
  /** closes the innermost thing that is open */
  leave(): void
  /** chooses the marked gate of an open group, or no longer */
  choose(): void
  toggleMine(): void
}

/** The keys of the queue. What is typed into a field is text, and a dialog has the keys for itself. */
export function useQueueKeys(actions: QueueActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector('dialog[open], [role="dialog"]') !== null) return
      const { move, answer, answerChosen, leave, choose, toggleMine } = latest.current
      if (event.key === 'Escape') return leave()
      if (isTyping(event)) return
      const action = {
        j: () => move(1),
        k: () => move(-1),
        m: toggleMine,
        x: choose,
        a: () => answer('approve'),
        r: () => answer('reject'),
        A: () => answerChosen('approve'),
        R: () => answerChosen('reject'),
      }[event.key]
      if (action === undefined || (event.repeat && event.key !== 'j' && event.key !== 'k')) return
      // the key that opens a form is not its first letter
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
