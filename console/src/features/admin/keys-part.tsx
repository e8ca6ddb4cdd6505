import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Time } from '../../components/facts.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { api } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { keysQuery, usersQuery } from './api.ts'
import { MakeKey } from './make-key.tsx'

const words = ADMIN.keys

/** With what programs come in. Of a key itself only its beginning is known. */
export function KeysPart() {
  const client = useQueryClient()
  const me = useMe()
  const keys = useInfiniteQuery(keysQuery)
  const users = useInfiniteQuery(usersQuery)
  const people = users.data?.pages.flatMap(({ items }) => items) ?? []
  const accounts = people.filter(({ roles, status }) => roles.includes('service') && status !== 'disabled')
  const nameOf = (id: string) => people.find((each) => each.id === id)?.email ?? id
  const revoke = useMutation({
    mutationFn: ({ id }: { id: string; name: string }) =>
      api.DELETE('/admin/api-keys/{id}', { params: { path: { id } } }),
    onSuccess: (_done, { name }) => {
      tell(words.revoked(name))
      return client.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  const { columns } = words
  return (
    <>
      <Refusal error={revoke.error} />
      <Asked query={keys}>
        {({ pages }) => {
          const list = pages.flatMap(({ items }) => items)
          if (list.length === 0) return <Empty>{words.empty}</Empty>
          return (
            <PlainTable
              label={ADMIN.parts.keys}
              columns={[
                columns.name,
                columns.account,
                columns.scopes,
                columns.status,
                columns.expires,
                columns.used,
                columns.change,
              ]}
              rows={list.map((key) => ({
                key: key.id,
                cells: [
                  <span key="name">
                    {key.name} <code className="block text-sm text-muted-foreground">{key.prefix}…</code>
                  </span>,
                  nameOf(key.account),
                  key.scopes.join(', '),
                  <Status key="status" of={key.status} />,
                  <Time key="expires" at={key.expires_at} />,
                  key.last_used_at === undefined ? words.never : <Time key="used" at={key.last_used_at} />,
                  key.status === 'active' && me.isAdmin && (
                    <Confirm
                      key="change"
                      ask={words.revoke}
                      question={words.revoke_sure(key.name)}
                      yes={words.revoke_yes}
                      no={words.keep}
                      busy={revoke.isPending}
                      onYes={() => revoke.mutate(key)}
                    />
                  ),
                ],
              }))}
            />
          )
        }}
      </Asked>
      {keys.hasNextPage && (
        <Button className="mt-3" onClick={() => void keys.fetchNextPage()}>
          {ADMIN.more}
        </Button>
      )}
      {me.isAdmin && <MakeKey accounts={accounts} />}
    </>
  )
}
