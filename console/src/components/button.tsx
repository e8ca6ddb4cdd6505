import type { ButtonHTMLAttributes } from 'react'
import { cn } from '../lib/cn.ts'

const VARIANTS = {
  outline: 'border border-input bg-background hover:bg-muted',
  default: 'bg-primary text-primary-foreground hover:opacity-90',
  success: 'bg-success text-primary-foreground hover:opacity-90',
  destructive: 'border border-destructive text-destructive hover:bg-destructive-soft',
  ghost: 'text-muted-foreground hover:bg-muted hover:text-foreground',
} as const

const SIZES = {
  default: 'min-h-9 px-3.5 py-1.5',
  sm: 'min-h-8 px-2.5 py-1 text-sm',
  icon: 'size-9',
} as const

interface Look {
  variant?: keyof typeof VARIANTS | undefined
  size?: keyof typeof SIZES | undefined
  className?: string | undefined
}

/** The classes of a button, for links that look like one. On touch screens at least 44 px. */
export const buttonClasses = ({ variant = 'outline', size = 'default', className }: Look) =>
  cn(
    'inline-flex items-center justify-center gap-1.5 rounded-md font-medium disabled:opacity-60 touch:min-h-11 touch:min-w-11',
    VARIANTS[variant],
    SIZES[size],
    className,
  )

export function Button({ variant, size, className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & Look) {
  return <button type="button" className={buttonClasses({ variant, size, className })} {...rest} />
}

/** The name of a button with its key, which touch screens leave out. */
export function Keyed({ text }: { text: string }) {
  const [, name = text, key] = /^(.*?)( \([^)]+\))?$/.exec(text) ?? []
  return (
    <span>
      {name}
      <span className="touch:hidden">{key}</span>
    </span>
  )
}
