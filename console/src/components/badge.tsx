import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

const TONES = {
  neutral: 'bg-muted text-muted-foreground',
  outline: 'border bg-background text-foreground',
  info: 'bg-info-soft text-info',
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  destructive: 'bg-destructive-soft text-destructive',
} as const

export type Tone = keyof typeof TONES

interface Props {
  tone?: Tone
  icon?: LucideIcon
  className?: string
  children: ReactNode
}

/** A pill: a text, with a colour and an icon that repeat what it says. */
export function Badge({ tone = 'neutral', icon: Icon, className, children }: Props) {
  return (
    <span
      className={cn(
        'inline-flex max-w-full items-center gap-1 rounded-full px-2 py-0.5 align-middle text-xs font-medium whitespace-nowrap',
        TONES[tone],
        className,
      )}
    >
      {Icon !== undefined && <Icon aria-hidden className="size-3.5 shrink-0" />}
      <span className="truncate">{children}</span>
    </span>
  )
}
