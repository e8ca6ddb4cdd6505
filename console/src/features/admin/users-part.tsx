import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { workspacesQuery } from '../../lib/account-queries.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { type User, usersQuery } from './api.ts'
import { EditUser } from './edit-user.tsx'
import { InviteUser } from './invite-user.tsx'

const words = ADMIN.users

/** Everybody who may come in, and what they may do. */
export function UsersPart() {
  const me = useMe()
  const users = useInfiniteQuery(usersQuery)
  const workspaces = useQuery(workspacesQuery)
  const [edited, setEdited] = useState<string>()
  const nameOf = (id: string) =>
    id === '*' ? words.all : (workspaces.data?.find((each) => each.id === id)?.name ?? id)
  const { columns } = words
  return (
    <>
      <Asked query={users}>
        {({ pages }) => {
          const list = pages.flatMap(({ items }) => items)
          if (list.length === 0) return <Empty>{words.empty}</Empty>
          const found = list.find(({ id }) => id === edited)
          return (
            <>
              <PlainTable
                label={ADMIN.parts.users}
                columns={[columns.who, columns.roles, columns.workspaces, columns.status, columns.seen, columns.change]}
                rows={list.map((user) => ({
                  key: user.id,
                  cells: [
                    <span key="who">
                      {user.display_name ?? user.email ?? user.id}
                      <span className="block text-sm text-muted-foreground">
                        {user.display_name !== undefined && user.email}
                      </span>
                    </span>,
                    [...user.roles, ...user.approval_roles].join(', '),
                    user.workspaces.map(nameOf).join(', '),
                    <Status key="status" of={user.status} />,
                    user.last_login_at === undefined ? words.never : <Ago key="seen" at={user.last_login_at} />,
                    mayEdit(me, user) && (
                      <Button
                        key="change"
                        aria-label={words.edit(user.email ?? user.id)}
                        onClick={() => setEdited(user.id)}
                      >
                        {columns.change}
                      </Button>
                    ),
                  ],
                }))}
              />
              {found !== undefined && (
                <EditUser
                  key={`${found.id} ${found.etag}`}
                  user={found}
                  workspaces={workspaces.data ?? []}
                  onDone={() => setEdited(undefined)}
                />
              )}
            </>
          )
        }}
      </Asked>
      {users.hasNextPage && (
        <Button className="mt-3" onClick={() => void users.fetchNextPage()}>
          {ADMIN.more}
        </Button>
      )}
      {me.isAdmin && workspaces.data !== undefined && <InviteUser workspaces={workspaces.data} />}
    </>
  )
}

/** Only an owner changes an owner, and an admin changes users of their own workspaces only. */
function mayEdit(me: ReturnType<typeof useMe>, user: User): boolean {
  return me.isAdmin && (me.isOwner || !user.roles.includes('owner')) && user.workspaces.every(me.mayEnter)
}
