import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface Props {
  part: 'rules' | 'environments' | 'profiles'
  name?: string
  create?: boolean
  children: ReactNode
}

/** Leads to a part of the page, to one thing of it, or to where a new one is written. */
export function PartLink({ part, name, create = false, children }: Props) {
  const search = { part, ...(name !== undefined && { name }), ...(create && { create: '1' }) }
  return (
    <Link to="/triggers" search={search} className="link">
      {children}
    </Link>
  )
}
