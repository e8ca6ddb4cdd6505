import { connectionUrl, leadsTo } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { McpToolRecord, McpToolsFound } from '#core/mcp/record-schema.ts'
import {
  type LeftOut,
  MAX_TOOLS,
  readTool,
  type ToolDefinition,
  type ToolEffect,
  toolChanges,
} from '#core/mcp/tool-schema.ts'
import { OperatorError } from '#core/operator.ts'
import { nearestName } from '#core/text/did-you-mean.ts'
import { visible, visibleData } from '#core/text/visible-text.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import type { FoundTool, ToolRow } from '#store/connections/mcp-tools.ts'
import { auditBy } from '../audit/read-audit.ts'
import { mustBeOfAll } from '../auth/may.ts'
import { authorOf, overtaken } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { placeOf } from './accepted-tool.ts'
import type { ConnectionContext } from './connection-ports.ts'
import { isSeen, secretFor } from './connections.ts'
import { accessToken } from './refresh-tokens.ts'

const ASK_WITHIN_MS = 15_000
const NEEDS = { role: 'admin', access: 'write', scope: 'account' } as const

/** The tools of a server as they were found last. */
export async function listConnectionTools(ctx: ConnectionContext, id: string): Promise<McpToolRecord[]> {
  const row = await serverOf(ctx, id)
  return toRecords(await ctx.connection_ports.tools.list(placeOf(row)))
}

/**
 * Asks a server for its tools, under the egress rules of an environment. What is found is accepted by nobody. Throws `conflict` for another
 * kind of connection, `dependency_unavailable` where the server does not list its tools.
 */
export const discoverConnectionTools = defineVerb(
  NEEDS,
  async (
    ctx: ConnectionContext,
    { id, environment: named }: { id: string; environment?: string | undefined },
  ): Promise<McpToolsFound> => {
    mustBeOfAll(ctx.actor)
    const { environment } = chooseEnvironment(ctx, named === undefined ? {} : { environment: named })
    const row = await serverOf(ctx, id)
    const { tools, left_out } = foundTools(await askServer(ctx, row, environment.egress))
    const audit = toolAudit(ctx, row, {
      action: 'connection.tools_discovered',
      data: { environment: environment.name, tools: tools.length, left_out: left_out.length },
    })
    if (!(await ctx.connection_ports.tools.found(row, { address: leadsTo(row), tools, audit }))) throw overtaken()
    return { tools: toRecords(await ctx.connection_ports.tools.list(placeOf(row))), left_out }
  },
)

/** Accepts a tool by the digest of the definition that a person has read. Throws `conflict` where it is another one by now. */
export const acceptConnectionTool = defineVerb(
  NEEDS,
  async (
    ctx: ConnectionContext,
    accepted: { id: string; name: string; definition_digest: string; effect?: ToolEffect | undefined },
  ): Promise<McpToolRecord> => {
    mustBeOfAll(ctx.actor)
    const { id, name, definition_digest: digest, effect = 'write' } = accepted
    const { tools } = ctx.connection_ports
    const row = await serverOf(ctx, id)
    const before = await tools.find(placeOf(row), name)
    if (before === undefined) throw new DomainError('not_found', `there is no tool ${name}; discover the tools first`)
    const audit = toolAudit(ctx, row, {
      action: 'connection.tool_accepted',
      data: { tool: name, digest, effect, before: before.accepted?.digest ?? null },
    })
    const after = await tools.accept(placeOf(row), { name, digest, effect, by: authorOf(ctx) }, audit)
    if (after === undefined)
      throw new DomainError('conflict', `The tool ${name} is not what was shown; read it again before you accept it.`)
    return toRecord(after, [])
  },
)

/** Takes back what was accepted of a tool: steps use it no more. Throws `conflict` where nothing is accepted. */
export const withdrawConnectionTool = defineVerb(
  NEEDS,
  async (ctx: ConnectionContext, { id, name }: { id: string; name: string }): Promise<McpToolRecord> => {
    mustBeOfAll(ctx.actor)
    const { tools } = ctx.connection_ports
    const row = await serverOf(ctx, id)
    const before = await tools.find(placeOf(row), name)
    if (before === undefined) throw new DomainError('not_found', `there is no tool ${name}; discover the tools first`)
    if (before.accepted === null) throw new DomainError('conflict', `The tool ${name} is not accepted.`)
    const { digest } = before.accepted
    const audit = toolAudit(ctx, row, { action: 'connection.tool_withdrawn', data: { tool: name, digest } })
    const after = await tools.withdraw(placeOf(row), { name, digest }, audit)
    if (after === undefined) throw overtaken()
    return toRecord(after, [])
  },
)

async function serverOf(ctx: ConnectionContext, id: string): Promise<ConnectionRow> {
  const row = await ctx.connection_ports.store.find(id)
  if (row === undefined || !isSeen(ctx, row)) throw new DomainError('not_found', 'there is no such connection')
  if (row.kind !== 'mcp') throw new DomainError('conflict', `${row.name} is of the kind ${row.kind} and has no tools.`)
  return row
}

async function askServer(ctx: ConnectionContext, row: ConnectionRow, egress: string[]) {
  const secret =
    row.auth === 'oauth2'
      ? await accessToken({ ...ctx, ...ctx.connection_ports }, row)
      : await secretFor(ctx, row, { settings: row })
  const target = { url: connectionUrl(row, secret ?? ''), egress, signal: AbortSignal.timeout(ASK_WITHIN_MS) }
  try {
    return (await ctx.connection_ports.mcp.listTools(target)).tools
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw new DomainError(
      'dependency_unavailable',
      `The tools cannot be listed: ${error.message}.`,
      {},
      { cause: error },
    )
  }
}

function foundTools(described: Parameters<typeof readTool>[0][]) {
  const left_out: LeftOut[] = []
  const tools = new Map<string, FoundTool>()
  for (const each of described) {
    const read = readTool(each)
    if ('why' in read) left_out.push({ name: visible(read.name), why: visible(read.why) })
    else if (tools.has(read.name)) left_out.push({ name: read.name, why: 'another tool has this name' })
    else if (tools.size === MAX_TOOLS) left_out.push({ name: read.name, why: `there are more than ${MAX_TOOLS}` })
    else tools.set(read.name, { name: read.name, definition: read })
  }
  return { tools: [...tools.values()], left_out: left_out.slice(0, MAX_TOOLS) }
}

function toRecords(rows: readonly ToolRow[]): McpToolRecord[] {
  const accepted = rows.flatMap(({ name, accepted }) => (accepted === null ? [] : [name]))
  return rows.map((row) => toRecord(row, accepted))
}

function toRecord(row: ToolRow, acceptedNames: readonly string[]): McpToolRecord {
  const { name, definition, definition_digest, state, found_at, accepted } = row
  const close_to = state === 'new' ? nearestName(name, acceptedNames) : undefined
  const { name: _same, ...described } = visibleData<JsonObject>(definition) as ToolDefinition
  return {
    name,
    ...described,
    state,
    definition_digest,
    found_at,
    ...(accepted !== null && {
      accepted: { definition_digest: accepted.digest, effect: accepted.effect, by: accepted.by, at: accepted.at },
    }),
    ...(accepted !== null &&
      state === 'changed' && {
        changes: visibleData(toolChanges(accepted.definition, definition)),
      }),
    ...(close_to !== undefined && { close_to }),
  }
}

function toolAudit(
  ctx: ConnectionContext,
  { id, name, version }: ConnectionRow,
  { action, data }: { action: string; data: JsonObject },
) {
  return auditBy(ctx, {
    category: 'admin',
    action,
    workspace_id: ctx.workspace_id,
    subject: { type: 'connection', id },
    data: { name, version, ...data },
  })
}
