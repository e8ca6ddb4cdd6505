import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Facts } from '../../components/facts.tsx'
import { Status } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { useMe } from '../../lib/use-me.ts'
import { CONNECTIONS } from '../../strings/connections.ts'
import { usersQuery } from '../admin/api.ts'
import { type Connection, startAuthorization } from './api.ts'
import { EnvironmentChoice } from './test-part.tsx'

const words = CONNECTIONS.authorization

/** What a person has authorised at the provider, and the way there. */
export function AuthorizationPart({ connection, mayWrite }: { connection: Connection; mayWrite: boolean }) {
  const [environment, setEnvironment] = useState<string>()
  const start = useMutation({
    mutationFn: () => startAuthorization(connection.id, environment),
    onSuccess: (page) => window.location.assign(page),
  })
  const { grant } = connection
  return (
    <section aria-label={words.title} className="rounded-lg border bg-card p-4">
      <h4 className="mb-2 font-semibold">{words.title}</h4>
      {grant === undefined ? (
        <p className="text-muted-foreground">{words.none}</p>
      ) : (
        <AuthorizationFacts grant={grant} />
      )}
      {mayWrite && (
        <div className="mt-3 flex flex-wrap items-end gap-3">
          <EnvironmentChoice chosen={environment} onChoose={setEnvironment} />
          <Button
            variant={grant === undefined ? 'default' : 'outline'}
            disabled={start.isPending}
            onClick={() => start.mutate()}
          >
            {grant === undefined ? words.start : words.again}
          </Button>
        </div>
      )}
      <Refusal error={start.error} />
    </section>
  )
}

function AuthorizationFacts({ grant }: { grant: NonNullable<Connection['grant']> }) {
  const me = useMe()
  const users = useInfiniteQuery({ ...usersQuery, enabled: me.isAdmin })
  const { authorized_by, authorized_at, scopes, missing_scopes, state, detail, expires_at, refreshable } = grant
  const who = users.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === authorized_by)?.email
  return (
    <Facts
      rows={[
        [
          words.state,
          <span key="state">
            <Status of={state} /> {detail}
          </span>,
        ],
        [
          words.by,
          <span key="by">
            {who ?? authorized_by}, <Ago at={authorized_at} />
          </span>,
        ],
        [words.scopes, scopes.length === 0 ? words.no_scopes : scopes.join(', ')],
        [words.missing, missing_scopes.length > 0 && missing_scopes.join(', ')],
        [
          words.expires,
          expires_at !== undefined && (
            <span>
              <Ago at={expires_at} />, {refreshable ? words.refreshed : words.not_refreshed}
            </span>
          ),
        ],
      ]}
    />
  )
}
