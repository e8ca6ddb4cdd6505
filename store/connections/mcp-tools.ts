import type { AuditDraft } from '#core/audit/types.ts'
import { digestedText, type ToolDefinition, type ToolEffect, type ToolState } from '#core/mcp/tool-schema.ts'
import { asJson, type Db } from '../db.ts'
import type { ConnectionState } from './connections.ts'

export interface ToolRow {
  name: string
  definition: ToolDefinition
  definition_digest: string
  state: ToolState
  found_at: string
  /** what a person accepted; null where nobody has */
  accepted: AcceptedRow | null
}

interface AcceptedRow {
  definition: ToolDefinition
  digest: string
  effect: ToolEffect
  by: string
  at: string
}

export type FoundTool = Pick<ToolRow, 'name' | 'definition'>

/** Where tools are accepted: at one address of a connection. */
interface At {
  connection_id: string
  address: string
}

export type McpToolStore = ReturnType<typeof createMcpToolStore>

/** Tools of MCP servers. Every change is one transaction with its audit record. */
export function createMcpToolStore(db: Db) {
  const columns = db`
    name, definition, definition_digest, state, iso_time(found_at) as found_at,
    case when accepted_digest is not null then jsonb_build_object('definition', accepted_definition,
      'digest', accepted_digest, 'effect', effect, 'by', accepted_by, 'at', iso_time(accepted_at)) end as accepted`
  const digestOf = (text: ReturnType<Db>) => db`'sha256:' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`
  const isAt = ({ connection_id, address }: At) => db`connection_id = ${connection_id} and address = ${address}`

  return {
    async list(at: At): Promise<ToolRow[]> {
      return db<ToolRow[]>`select ${columns} from mcp_tools where ${isAt(at)} order by name collate "C"`
    },

    async find(at: At, name: string): Promise<ToolRow | undefined> {
      const [row] = await db<ToolRow[]>`select ${columns} from mcp_tools where ${isAt(at)} and name = ${name}`
      return row
    },

    /** Keeps what a server lists. What it lists no more stays where it was accepted. False when the connection is another one meanwhile. */
    async found(
      { id, version }: Pick<ConnectionState, 'id' | 'version'>,
      { address, tools, audit }: { address: string; tools: FoundTool[]; audit: AuditDraft },
    ): Promise<boolean> {
      const names = tools.map(({ name }) => name)
      const digested = tools.map((tool) => ({ ...tool, digested: digestedText(tool.definition) }))
      return await db.begin(async (sql) => {
        const [row] = await sql`select id from connections where id = ${id} and version = ${version} for update`
        if (row === undefined) return false
        await sql`
          delete from mcp_tools where connection_id = ${id}
            and (address <> ${address} or accepted_digest is null and not name = any(${names}))`
        await sql`
          update mcp_tools set listed = false where connection_id = ${id} and not name = any(${names})`
        await sql`
          insert into mcp_tools (connection_id, address, name, definition, definition_digest)
          select ${id}, ${address}, name, definition, ${digestOf(db`digested`)}
          from jsonb_to_recordset(${db.json(asJson(digested))}) as found (name text, definition jsonb, digested text)
          on conflict (connection_id, name) do update set definition = excluded.definition,
            definition_digest = excluded.definition_digest, listed = true, found_at = now()`
        await sql`insert into audit_outbox (draft) values (${db.json(asJson(audit))})`
        return true
      })
    },

    /** Undefined when the server describes it otherwise by now, or has it no more. */
    async accept(
      at: At,
      { name, digest, effect, by }: { name: string; digest: string; effect: ToolEffect; by: string },
      audit: AuditDraft,
    ): Promise<ToolRow | undefined> {
      const [row] = await db<ToolRow[]>`
        with accepted as (
          update mcp_tools set accepted_definition = definition, accepted_digest = definition_digest, effect = ${effect},
            accepted_by = ${by}, accepted_at = now()
          where ${isAt(at)} and name = ${name} and definition_digest = ${digest} and listed returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from accepted
        )
        select ${columns} from accepted`
      return row
    },

    /** Takes back what was accepted. Undefined where another definition is accepted by now, or none. */
    async withdraw(at: At, { name, digest }: { name: string; digest: string }, audit: AuditDraft) {
      const [row] = await db<ToolRow[]>`
        with withdrawn as (
          update mcp_tools set accepted_definition = null, accepted_digest = null, effect = null, accepted_by = null,
            accepted_at = null
          where ${isAt(at)} and name = ${name} and accepted_digest = ${digest} returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from withdrawn
        )
        select ${columns} from withdrawn`
      return row
    },

    /** Keeps how the server describes an accepted tool now. Changes nothing where that is known, or another one is accepted by now. */
    async described(
      at: At,
      { name, accepted, definition }: { name: string; accepted: string; definition: ToolDefinition | undefined },
      audit: AuditDraft,
    ): Promise<void> {
      const now =
        definition === undefined
          ? { kept: db``, differs: db`listed` }
          : {
              kept: db`, definition = ${db.json(asJson(definition))}, definition_digest = found.digest`,
              differs: db`(not listed or definition_digest <> found.digest)`,
            }
      const text = definition === undefined ? '' : digestedText(definition)
      await db`
        with found as (select ${digestOf(db`${text}::text`)} as digest), changed as (
          update mcp_tools set listed = ${definition !== undefined}, found_at = now() ${now.kept} from found
          where ${isAt(at)} and name = ${name} and accepted_digest = ${accepted} and ${now.differs} returning name
        )
        insert into audit_outbox (draft) select ${db.json(asJson(audit))} from changed`
    },
  }
}
