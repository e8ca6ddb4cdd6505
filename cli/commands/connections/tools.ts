import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { TOOL_EFFECTS } from '#core/mcp/tool-schema.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { connectionNamed } from '../../client/named-records.ts'
import type { CliDeps } from '../../deps.ts'
import { printable } from '../../views/format.ts'
import { type ListFlags, printList, withOutput } from '../../views/list-output.ts'
import type { Column } from '../../views/table.ts'

type Tool = Schema<'McpTool'>

interface ToolsDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<
    ApiClient,
    'connections' | 'connectionTools' | 'discoverConnectionTools' | 'acceptConnectionTool' | 'withdrawConnectionTool'
  >
}

const NAMED = 'its id or its name'
const COLUMNS: Column<Tool>[] = [
  { title: 'TOOL', text: ({ name }) => name },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'EFFECT', text: ({ accepted }) => accepted?.effect ?? '' },
  { title: 'CLAIMS', text: claimsText },
  { title: 'DIGEST', text: ({ definition_digest }) => definition_digest, wide: true },
  { title: 'ABOUT', text: ({ title, description }) => title ?? description ?? '', cut: true },
]

/** `svc connections tools`: the tools of an MCP server, which steps use when an admin has accepted them. */
export function registerTools(connections: Command, deps: ToolsDeps): void {
  const tools = connections.command('tools').description('tools of a connection to an MCP server')
  withOutput(tools.command('list').argument('<connection>', NAMED))
    .description('list the tools as they were discovered last')
    .action(async (named: string, flags: ListFlags) => {
      const api = deps.api()
      const rows = await api.connectionTools((await connectionNamed(api, named)).id)
      printList(deps, flags, { columns: COLUMNS, rows, empty: `no tools yet: svc connections tools discover ${named}` })
    })
  withOutput(tools.command('discover').argument('<connection>', NAMED))
    .description('ask the server for its tools; none of them is called or accepted')
    .option('--environment <name>', 'whose egress rules apply')
    .action(async (named: string, { environment, ...flags }: ListFlags & { environment?: string }) => {
      const api = deps.api()
      const { id } = await connectionNamed(api, named)
      const found = await api.discoverConnectionTools(id, environment === undefined ? {} : { environment })
      printList(deps, flags, { columns: COLUMNS, rows: found.tools, empty: 'the server has no tools' })
      for (const { name, why } of found.left_out) deps.err(printable(`left out: ${name}: ${why}`))
    })
  tools
    .command('show')
    .argument('<connection>', NAMED)
    .argument('<tool>', 'its name')
    .description('show the definition of a tool, and what differs from the one that was accepted')
    .action(async (named: string, tool: string) => {
      const api = deps.api()
      const found = (await api.connectionTools((await connectionNamed(api, named)).id)).find(
        ({ name }) => name === tool,
      )
      if (found === undefined) throw new DomainError('not_found', `there is no tool ${tool}`)
      for (const line of toolLines(found)) deps.out(line)
    })
  tools
    .command('accept')
    .argument('<connection>', NAMED)
    .argument('<tool>', 'its name')
    .requiredOption('--digest <digest>', 'of the definition that you have read; svc connections tools show prints it')
    .addOption(new Option('--effect <effect>', 'what the tool does').choices([...TOOL_EFFECTS]).default('write'))
    .description('accept a tool as it was shown: steps may use it until the server describes it otherwise')
    .action(async (named: string, tool: string, { digest, effect }: { digest: string; effect: 'read' | 'write' }) => {
      const api = deps.api()
      const { id } = await connectionNamed(api, named)
      await api.acceptConnectionTool(id, tool, { definition_digest: digest, effect })
    })
  tools
    .command('withdraw')
    .argument('<connection>', NAMED)
    .argument('<tool>', 'its name')
    .description('take back the acceptance of a tool: steps use it no more')
    .action(async (named: string, tool: string) => {
      const api = deps.api()
      await api.withdrawConnectionTool((await connectionNamed(api, named)).id, tool)
    })
}

function claimsText({ annotations = {} }: Tool): string {
  const claims = { readOnlyHint: 'reads', destructiveHint: 'destroys', idempotentHint: 'idempotent' }
  return Object.entries(claims)
    .flatMap(([hint, claim]) => (annotations[hint] === true ? [claim] : []))
    .join(', ')
}

function toolLines(tool: Tool): string[] {
  const { name, state, definition_digest, changes = [], close_to, accepted, found_at: _found, ...definition } = tool
  return [
    `${name} (${state})`,
    `  digest ${definition_digest}`,
    ...(accepted === undefined ? [] : [`  accepted by ${accepted.by} at ${accepted.at} as a ${accepted.effect}`]),
    ...(close_to === undefined ? [] : [`  careful: it is called nearly like ${close_to}, which was accepted`]),
    ...changes.flatMap(({ member, before, after }) => [
      `  ${member} was: ${before ?? 'nothing'}`,
      `  ${member} is:  ${after ?? 'nothing'}`,
    ]),
    ...Object.entries(definition).map(([member, value]) => `  ${member}: ${visibleJson(value)}`),
  ].map(printable)
}
