import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Status } from '../../components/status.tsx'
import { workspacesQuery } from '../../lib/account-queries.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { usersQuery, type Workspace } from './api.ts'
import { EditWorkspace } from './edit-workspace.tsx'
import { MakeWorkspace } from './make-workspace.tsx'

const words = ADMIN.workspaces

/** The workspaces that the reader may enter, their limits, and for admins who is at home in them. */
export function WorkspacesPart() {
  const me = useMe()
  const workspaces = useQuery(workspacesQuery)
  const users = useInfiniteQuery({ ...usersQuery, enabled: me.isAdmin })
  const people = users.data?.pages.flatMap(({ items }) => items) ?? []
  const [edited, setEdited] = useState<string>()
  const { columns } = words
  return (
    <>
      <Asked query={workspaces} empty={words.empty}>
        {(list) => {
          const found = list.find(({ id }) => id === edited)
          return (
            <>
              <PlainTable
                label={ADMIN.parts.workspaces}
                columns={[
                  columns.name,
                  columns.status,
                  columns.environment,
                  columns.limits,
                  ...(me.isAdmin ? [words.members, columns.change] : []),
                ]}
                rows={list.map((workspace) => ({
                  key: workspace.id,
                  cells: [
                    <span key="name">
                      {workspace.name} <code className="block text-sm text-muted-foreground">{workspace.slug}</code>
                    </span>,
                    <Status key="status" of={workspace.status} />,
                    workspace.default_environment,
                    limitsText(workspace),
                    ...(me.isAdmin
                      ? [
                          people
                            .filter((user) => user.workspaces.includes(workspace.id))
                            .map((user) => user.display_name ?? user.email ?? user.id)
                            .join(', ') || words.no_members,
                          workspace.status === 'active' && (
                            <Button
                              key="change"
                              aria-label={words.edit(workspace.name)}
                              onClick={() => setEdited(workspace.id)}
                            >
                              {columns.change}
                            </Button>
                          ),
                        ]
                      : []),
                  ],
                }))}
              />
              {found !== undefined && (
                <EditWorkspace key={found.etag} workspace={found} onDone={() => setEdited(undefined)} />
              )}
            </>
          )
        }}
      </Asked>
      {me.isAdminOfAll && <MakeWorkspace />}
    </>
  )
}

function limitsText({ limits }: Workspace): string {
  const { realtime, background, daily_usd } = limits
  const parts = [
    realtime !== undefined && words.limits.realtime(realtime),
    background !== undefined && words.limits.background(background),
    daily_usd !== undefined && words.limits.daily_usd(daily_usd),
  ]
  return parts.filter((text) => text !== false).join(', ') || words.no_limits
}
