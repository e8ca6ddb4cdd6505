import { useSyncExternalStore } from 'react'

export interface Toast {
  id: number
  text: string
  /** takes the action back; what it answers is told next */
  undo?: () => Promise<string>
}

const MAX = 4
let last = 0
let shown: readonly Toast[] = []
const listeners = new Set<() => void>()

function show(toasts: readonly Toast[]): void {
  shown = toasts
  for (const listener of listeners) listener()
}

/** Says briefly what an action did, on whatever page the user is. */
export function tell(text: string, undo?: Toast['undo']): void {
  last += 1
  show([...shown, { id: last, text, ...(undo !== undefined && { undo }) }].slice(-MAX))
}

export function dismiss(id: number): void {
  show(shown.filter((toast) => toast.id !== id))
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
}
