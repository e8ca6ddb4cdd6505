import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface Props {
  name?: string
  create?: boolean
  className?: string
  children: ReactNode
}

/** Leads to all connections, to one, or to where a new one is made. */
export function ConnectionLink({ name, create = false, className = 'link', children }: Props) {
  const search = { part: 'connections', ...(name !== undefined && { name }), ...(create && { create: '1' }) }
  return (
    <Link to="/admin" search={search} className={className}>
      {children}
    </Link>
  )
}
