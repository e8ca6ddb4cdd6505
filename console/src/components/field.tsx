import type { ReactNode } from 'react'

export const FIELD = 'mt-1 block w-full rounded border border-line bg-paper px-2 py-1 text-ink'

/** A control with its name above it, and what helps to fill it in. */
export function Field({ name, hint, children }: { name: string; hint?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label className="block text-sm">
      {name}
      {children}
      {hint !== undefined && <span className="text-soft">{hint}</span>}
    </label>
  )
}
