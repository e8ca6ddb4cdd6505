import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CONNECTIONS as words } from '../../strings/connections.ts'
import { PartLink } from '../triggers/part-link.tsx'
import type { Connection } from './api.ts'

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

export function workspacesText({ workspaces }: Pick<Connection, 'workspaces'>): string {
  return workspaces.map((slug) => (slug === '*' ? words.every : slug)).join(', ')
}

/** The environments that refer to a connection, each as a link to it, and their name for it. */
export function BoundBy({ of }: { of: Connection['bound_by'] }) {
  return (
    <ul>
      {of.map(({ environment, name }) => (
        <li key={`${environment}/${name}`} className="break-words">
          <PartLink part="environments" name={environment}>
            {environment}
          </PartLink>{' '}
          {words.as(name)}
        </li>
      ))}
    </ul>
  )
}
