import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDb } from '#store/db.ts'

/**
 * A hand-written counterpart on the same database: one transaction per alert, a row per run, a row per alert, an event and a start in an
 * outbox. It has no rules, policies, freezes, limits, audit or batches.
 */
export async function createNaiveFold(databaseUrl: string) {
  const db = createDb(databaseUrl, { max: 10, name: 'bench-naive' })
  await db.unsafe(`
    create table if not exists naive_runs (id text primary key, fingerprint text not null, active boolean not null default true,
      attached_count integer not null default 0, body jsonb not null, created_at timestamptz not null default now());
    create unique index if not exists naive_active on naive_runs (fingerprint) where active;
    create table if not exists naive_alerts (id bigint generated always as identity primary key,
      run_id text not null references naive_runs, member text not null, received_at timestamptz not null default now());
    create table if not exists naive_events (run_id text not null references naive_runs, seq integer not null, type text not null,
      ts timestamptz not null default now(), primary key (run_id, seq));
    create table if not exists naive_outbox (run_id text primary key references naive_runs);`)

  async function fold(text: string): Promise<object> {
    const body = JSON.parse(text) as { alerts: { labels: Record<string, string>; fingerprint: string }[] }
    const [alert] = body.alerts
    const fingerprint = `alertmanager|${alert?.labels['service']}|${alert?.labels['alertname']}`.toLowerCase()
    const id = randomUUID()
    return db.begin(async (sql) => {
      const [run] = await sql<{ id: string; attached_count: number }[]>`
        insert into naive_runs (id, fingerprint, body) values (${id}, ${fingerprint}, ${sql.json(body)})
        on conflict (fingerprint) where active do update set attached_count = naive_runs.attached_count + 1
        returning id, attached_count`
      if (run === undefined) throw new Error('no run')
      await sql`insert into naive_alerts (run_id, member) values (${run.id}, ${alert?.fingerprint ?? ''})`
      await sql`insert into naive_events (run_id, seq, type) values (${run.id}, ${run.attached_count}, 'alert')`
      if (run.id === id) await sql`insert into naive_outbox (run_id) values (${id})`
      return { results: [{ fingerprint, run_id: run.id, attached_count: run.attached_count }] }
    })
  }
  return { fold, end: () => db.end() }
}

/** The same behind the plainest HTTP server there is. */
export async function startNaiveAlerts(databaseUrl: string) {
  const { fold, end } = await createNaiveFold(databaseUrl)
  const server = createServer((request, response) => {
    void textOf(request)
      .then(fold)
      .then(
        (answer) => {
          response.writeHead(202, { 'content-type': 'application/json' })
          response.end(JSON.stringify(answer))
        },
        () => {
          response.writeHead(500)
          response.end()
        },
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/triggers/alert`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await end()
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
