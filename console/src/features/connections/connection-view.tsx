import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts, Time } from '../../components/facts.tsx'
import { Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { ApiError } from '../../lib/api.ts'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { CONNECTIONS as words } from '../../strings/connections.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import { usersQuery } from '../admin/api.ts'
import { propertiesOf } from '../start/form-schema.ts'
import { type Connection, deleteConnection, type KindForm, type TestRequest, testConnection } from './api.ts'
import { AuthorizationPart } from './authorization-part.tsx'
import { BindPart } from './bind-part.tsx'
import { ConnectionForm } from './connection-form.tsx'
import { BoundBy, workspacesText } from './connection-link.tsx'
import { TestPart } from './test-part.tsx'
import { ToolsPart } from './tools-part.tsx'
import { Uses } from './uses.tsx'

const { facts } = words

interface Props {
  connection: Connection
  forms: readonly KindForm[]
  mayWrite: boolean
}

/** One connection: its state, a test of it, where it is bound, and its form. */
export function ConnectionView({ connection, forms, mayWrite }: Props) {
  const [edited, setEdited] = useState<'all' | 'secret'>()
  const { name, status, problem } = connection
  const { isApprover } = useMe()
  return (
    <>
      <div className="my-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 className="min-w-0 text-lg font-semibold wrap-anywhere">
          {edited === undefined ? name : words.change_title(name)}
        </h3>
        <Status of={status} />
        {mayWrite && edited === undefined && (
          <span className="flex flex-wrap gap-2 sm:ml-auto">
            <Button onClick={() => setEdited('all')}>{words.change}</Button>
            {connection.auth !== 'none' && <Button onClick={() => setEdited('secret')}>{words.replace}</Button>}
          </span>
        )}
      </div>
      {problem !== undefined && (
        <p role="alert" className="mb-4 rounded-lg border border-destructive/40 p-4 break-words text-destructive">
          {words.problem(problem)}
        </p>
      )}
      {edited === undefined ? (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card>
            <ConnectionFacts connection={connection} forms={forms} />
          </Card>
          <div className="min-w-0 space-y-4">
            {connection.auth === 'oauth2' && <AuthorizationPart connection={connection} mayWrite={mayWrite} />}
            {connection.kind === 'mcp' && isApprover && <ToolsPart connection={connection} mayWrite={mayWrite} />}
            {mayWrite && <StoredTest connection={connection} />}
            <BindPart connection={connection} mayWrite={mayWrite} />
            {mayWrite && <Removal connection={connection} />}
          </div>
        </div>
      ) : (
        <ConnectionForm
          connection={connection}
          forms={forms}
          isReplacing={edited === 'secret'}
          onDone={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

function ConnectionFacts({ connection, forms }: Pick<Props, 'connection' | 'forms'>) {
  const me = useMe()
  const users = useInfiniteQuery({ ...usersQuery, enabled: me.isAdmin })
  const people = users.data?.pages.flatMap(({ items }) => items) ?? []
  const nameOf = (id: string) => people.find((each) => each.id === id)?.email ?? id
  const { kind, auth, config, secret, last_test, last_used_at, version, bound_by } = connection
  const form = forms.find((each) => each.kind === kind)
  return (
    <Facts
      rows={[
        [facts.kind, form?.title ?? kind],
        [facts.place, connection.leads_to],
        ...Object.entries(propertiesOf(form?.schema ?? {})).flatMap(([field, { title = field }]) =>
          PLACE.has(field) || config[field] === undefined ? [] : [[String(title), String(config[field])] as const],
        ),
        [facts.auth, words.auth[auth]],
        [facts.secret, secret.fingerprint === undefined ? words.secret_unset : words.secret_set(secret.fingerprint)],
        [facts.workspaces, workspacesText(connection)],
        [
          facts.test,
          last_test !== undefined && (
            <>
              <Ago at={last_test.at} />: {last_test.detail}
            </>
          ),
        ],
        [facts.used, last_used_at === undefined ? words.never : <Ago key="used" at={last_used_at} />],
        [facts.uses, <Uses key="uses" id={connection.id} />],
        [facts.bound_by, bound_by.length === 0 ? words.unbound : <BoundBy key="bound" of={bound_by} />],
        [facts.version, words.version(version)],
        [facts.created, <By key="created" at={connection.created_at} who={nameOf(connection.created_by)} />],
        [facts.changed, <By key="changed" at={connection.updated_at} who={nameOf(connection.author)} />],
        [
          facts.audit,
          <Link key="audit" to="/audit" search={{ category: 'admin' }} className="link">
            {words.records}
          </Link>,
        ],
      ]}
    />
  )
}

/** fields that the place shows */
const PLACE: ReadonlySet<string> = new Set([
  'base_url',
  'url',
  'host',
  'port',
  'database',
  'endpoint',
  'bucket',
  'prefix',
])

function By({ at, who }: { at: string; who: string }) {
  return (
    <>
      <Time at={at} /> {words.by} {who}
    </>
  )
}

function StoredTest({ connection: { id } }: Pick<Props, 'connection'>) {
  const client = useQueryClient()
  const [environment, setEnvironment] = useState<string>()
  const test = useMutation({
    mutationFn: (asked: TestRequest) => testConnection(asked),
    onSuccess: () => client.invalidateQueries({ queryKey: ['connections'] }),
  })
  return (
    <div>
      <TestPart
        ask={words.test.test_now}
        test={test}
        environment={environment}
        onPlace={setEnvironment}
        onTest={() => test.mutate({ id, ...(environment !== undefined && { environment }) })}
      />
      <Refusal error={test.error} />
    </div>
  )
}

function Removal({ connection }: Pick<Props, 'connection'>) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: deleteConnection,
    onSuccess: async () => {
      tell(DOCUMENTS.is_removed(connection.name))
      await navigate({ to: '/admin', search: { part: 'connections' } })
      await client.invalidateQueries({ queryKey: ['connections'] })
    },
  })
  const bound = boundBy(remove.error)
  return (
    <div>
      <Confirm
        ask={DOCUMENTS.remove}
        question={DOCUMENTS.really(connection.name)}
        yes={DOCUMENTS.yes}
        no={DOCUMENTS.no}
        busy={remove.isPending}
        onYes={() => remove.mutate(connection)}
      />
      {bound === undefined ? (
        <Refusal error={remove.error} />
      ) : (
        <div role="alert" className="mt-2 rounded-lg border border-destructive/40 p-4">
          <p className="text-destructive">{words.delete_bound}</p>
          <BoundBy of={bound} />
        </div>
      )}
    </div>
  )
}

/** The environments for which a deletion was refused. */
function boundBy(error: Error | null): Connection['bound_by'] | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined
  return (error.body as Partial<Pick<Connection, 'bound_by'>>).bound_by
}
