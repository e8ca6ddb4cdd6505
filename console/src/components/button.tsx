import type { ButtonHTMLAttributes } from 'react'

const LOOKS = {
  plain: 'border border-line',
  main: 'bg-mark font-medium text-paper',
  danger: 'border border-bad text-bad',
} as const

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: keyof typeof LOOKS
}

export function Button({ look = 'plain', className = '', ...rest }: Props) {
  return (
    <button type="button" className={`rounded px-3 py-1 disabled:opacity-60 ${LOOKS[look]} ${className}`} {...rest} />
  )
}
