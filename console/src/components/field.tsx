import type { ReactNode } from 'react'

export const FIELD =
  'mt-1 block min-h-9 w-full rounded-md border border-input bg-background px-2.5 py-1.5 text-foreground placeholder:text-muted-foreground touch:min-h-11'

/** A control with its name above it, and what helps to fill it in. */
export function Field({ name, hint, children }: { name: string; hint?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label className="block text-sm">
      <span className="font-medium">{name}</span>
      {children}
      {hint !== undefined && <span className="text-muted-foreground">{hint}</span>}
    </label>
  )
}
