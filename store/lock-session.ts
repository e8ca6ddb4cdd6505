import postgres from 'postgres'
import { splitUrl } from './db.ts'

type SessionOptions = Pick<
  postgres.Options<Record<string, postgres.PostgresType>>,
  'backoff' | 'fetch_types' | 'onclose'
>

/** One connection, opened with the first statement and kept: what is locked on it falls with it. */
export function lockSession(url: string, application_name: string, options: SessionOptions): postgres.Sql {
  const { tcp, socket } = splitUrl(url)
  return postgres(tcp, {
    ...socket,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    connection: { application_name },
    onnotice: () => undefined,
    ...options,
  })
}
