import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { buttonClasses } from '../../components/button.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { connectionsQuery } from '../../lib/account-queries.ts'
import { ownSearch } from '../../lib/read-search.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { CONNECTIONS as words } from '../../strings/connections.ts'
import { STRINGS } from '../../strings.ts'
import { type Connection, kindsQuery } from './api.ts'
import { ConnectionForm } from './connection-form.tsx'
import { BoundBy, ConnectionLink, workspacesText } from './connection-link.tsx'
import { ConnectionView } from './connection-view.tsx'

/** Where steps lead and as whom; owners and admins of all workspaces change it. */
export function ConnectionsPart() {
  const me = useMe()
  const { name, create } = useSearch({ from: '/admin', select: ownSearch })
  const kinds = useQuery(kindsQuery)
  const connections = useQuery(connectionsQuery)
  if (create === '1' && me.isAdminOfAll)
    return (
      <>
        <ConnectionLink>{words.back}</ConnectionLink>
        <h3 className="my-2 text-lg font-semibold">{words.create}</h3>
        <Asked query={kinds}>{(forms) => <ConnectionForm forms={forms} />}</Asked>
      </>
    )
  return (
    <Asked query={kinds}>
      {(forms) => (
        <Asked query={connections}>
          {(list) => {
            const titleOf = ({ kind }: Connection) => forms.find((form) => form.kind === kind)?.title ?? kind
            if (name === undefined) return <ConnectionList list={list} titleOf={titleOf} mayWrite={me.isAdminOfAll} />
            const found = list.find((each) => each.name === name)
            return (
              <>
                <ConnectionLink>{words.back}</ConnectionLink>
                {found === undefined ? (
                  <Empty>{STRINGS.states.not_found}</Empty>
                ) : (
                  <ConnectionView key={found.id} connection={found} forms={forms} mayWrite={me.isAdminOfAll} />
                )}
              </>
            )
          }}
        </Asked>
      )}
    </Asked>
  )
}

interface ListProps {
  list: Connection[]
  titleOf: (connection: Connection) => string
  mayWrite: boolean
}

function ConnectionList({ list, titleOf, mayWrite }: ListProps) {
  const { columns } = words
  const create = mayWrite && (
    <ConnectionLink create className={buttonClasses({ variant: 'default' })}>
      {words.create}
    </ConnectionLink>
  )
  if (list.length === 0) return <Empty action={create}>{mayWrite ? words.empty : words.empty_for_readers}</Empty>
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-prose text-muted-foreground">{words.intro}</p>
        {create}
      </div>
      <PlainTable
        label={ADMIN.parts.connections}
        columns={[
          columns.name,
          columns.place,
          columns.status,
          columns.bound_by,
          columns.workspaces,
          columns.used,
          columns.version,
        ]}
        rows={list.map((connection) => ({
          key: connection.id,
          cells: [
            <span key="name">
              <ConnectionLink name={connection.name}>{connection.name}</ConnectionLink>
              <span className="block text-muted-foreground">{titleOf(connection)}</span>
            </span>,
            connection.leads_to,
            <span key="status">
              <Status of={connection.status} />
              {connection.problem !== undefined && (
                <span className="block max-w-prose break-words">{connection.problem}</span>
              )}
              {connection.last_test !== undefined && (
                <span className="block text-muted-foreground">
                  {words.tested} <Ago at={connection.last_test.at} />
                </span>
              )}
            </span>,
            connection.bound_by.length === 0 ? words.unbound : <BoundBy key="bound" of={connection.bound_by} />,
            workspacesText(connection),
            connection.last_used_at === undefined ? words.never : <Ago key="used" at={connection.last_used_at} />,
            String(connection.version),
          ],
        }))}
      />
    </>
  )
}
