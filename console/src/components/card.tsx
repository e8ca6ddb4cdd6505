import type { HTMLAttributes } from 'react'
import { cn } from '../lib/cn.ts'

export function Card({ className, ...rest }: HTMLAttributes<HTMLElement>) {
  return <section className={cn('rounded-lg border bg-card p-4', className)} {...rest} />
}
