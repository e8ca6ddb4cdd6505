import type { GateCommand } from '#core/contract.ts'
import { createTestApi, type TestApi } from './api-client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestBrowser, type TestLink } from './magic-link.ts'
import { createRecordDeps, createRecordEngine } from './record-engine.ts'

export const JSON_ANSWER = { accept: 'application/json' }
/** A gate that one of the database people has to decide. */
export const ROLES = { required: { approvals: 1, approval_roles: [['dba']], prevent_self: false } }

export interface LinkWorld {
  api: TestApi
  database: TestDatabase
  /** what the engine was asked to decide */
  decided: GateCommand[]
  /** why the engine decides nothing */
  failure: Error | undefined
  /** codes of the refusals that are on record about a gate, in order */
  refusals(gateId: string): Promise<string[]>
  linkRow(gateId: string): Promise<{ views: number; wrong_codes: number; used_at: string | null } | undefined>
  /** does what a person does who has the message in front of him */
  approve(link: TestLink, fields?: Record<string, string>): Promise<{ response: Response; html: string }>
  /** somebody else decides the gate */
  resolve(gateId: string): Promise<void>
  reset(): void
  close(): Promise<void>
}

/** An API whose engine decides whatever a magic link asks for. */
export async function openLinkWorld(postgresUrl: string): Promise<LinkWorld> {
  const database = await createTestDatabase(postgresUrl)
  const { db } = database
  const api = await createTestApi(database, {
    services: {
      engine: createRecordEngine(createRecordDeps(db), {
        onDecide(command) {
          if (world.failure !== undefined) throw world.failure
          world.decided.push(command)
        },
      }),
    },
  })
  const world: LinkWorld = {
    api,
    database,
    decided: [],
    failure: undefined,
    async refusals(gateId) {
      // those that are alike are told as a number; the last of each kind stands where it came
      const rows = await db<{ code: string; refused: number }[]>`
        select draft -> 'data' ->> 'code' as code, refused::int from refusals
        where action = 'link.refused' and subject_id = ${gateId} order by draft ->> 'id'`
      return rows.flatMap(({ code, refused }) => Array.from({ length: refused }, () => code))
    },
    async linkRow(gateId) {
      const [row] = await db<{ views: number; wrong_codes: number; used_at: string | null }[]>`
        select views, wrong_codes, used_at from magic_links where gate_id = ${gateId}`
      return row
    },
    async approve(link, fields = {}) {
      const browser = createTestBrowser(api)
      const { nonce } = await browser.open(link.path)
      return await browser.submit(link.path, { nonce, decision: 'approve', code: link.code, ...fields })
    },
    async resolve(gateId) {
      await db`
        update gates set status = 'approved', resolved_at = now(), resolution = ${db.json({ by: 'usr_first' })}
        where id = ${gateId}`
    },
    reset() {
      world.decided = []
      world.failure = undefined
    },
    async close() {
      await api.close()
      await database.drop()
    },
  }
  return world
}
