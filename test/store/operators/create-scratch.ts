import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

export interface Scratch {
  url: string
  sql: postgres.Sql
  drop(): Promise<void>
}

/** An empty database of its own on the test server, as an operator's target. */
export async function createScratch(serverUrl: string): Promise<Scratch> {
  const name = `target_${randomBytes(6).toString('hex')}`
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined })
  await admin.unsafe(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const sql = postgres(url.href, { max: 4, onnotice: () => undefined })
  return {
    url: url.href,
    sql,
    async drop() {
      await sql.end({ timeout: 1 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end({ timeout: 1 })
    },
  }
}
