import type { ReactNode } from 'react'

export const FIELD =
  'mt-1 block min-h-9 w-full rounded-md border border-input bg-background px-2.5 py-1.5 text-foreground placeholder:text-muted-foreground touch:min-h-11'

/** A control with its name above it, and what helps to fill it in. */
export function Field({
  name,
  hint,
  error,
  children,
}: {
  name: string
  hint?: string
  error?: string | undefined
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label className="block text-sm">
      <span className="font-medium">{name}</span>
      {children}
      {hint !== undefined && <span className="block text-muted-foreground">{hint}</span>}
      <FieldError error={error} />
    </label>
  )
}

/** What is wrong with a control, below it. */
export function FieldError({ error }: { error: string | undefined }) {
  if (error === undefined) return null
  return (
    <span role="alert" className="block break-words text-sm text-destructive">
      {error}
    </span>
  )
}
