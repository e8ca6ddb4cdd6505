import { Argument, type Command, Option } from 'commander'
import { CONNECTION_KINDS } from '#core/connection/kind-schema.ts'
import { CONNECTION_AUTH } from '#core/connection/kinds/define-kind-schema.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { connectionNamed } from '../client/named-records.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { collectPair } from '../parse-inputs.ts'
import { isJson, type ListFlags, printList, withOutput } from '../views/list-output.ts'
import { registerAuthorize } from './connections/authorize.ts'
import { bindConnection, unbindConnection } from './connections/bind.ts'
import {
  createConnection,
  outcomeLine,
  rotateConnection,
  type SaveDeps,
  updateConnection,
} from './connections/save-connection.ts'
import { connectionColumns, connectionLines, KIND_COLUMNS, kindRows } from './connections/show-connection.ts'
import { registerTools } from './connections/tools.ts'

interface ConnectionsDeps extends SaveDeps, Pick<CliDeps, 'screen'> {
  api(): ReturnType<SaveDeps['api']> &
    Pick<
      ApiClient,
      | 'connection'
      | 'authorizeConnection'
      | 'deleteConnection'
      | 'environments'
      | 'saveEnvironment'
      | 'connectionTools'
      | 'discoverConnectionTools'
      | 'acceptConnectionTool'
      | 'withdrawConnectionTool'
    >
}

const NAMED = 'its id or its name'
const ALIAS = 'the name that steps of the environment have for it'
const SAVED =
  '\nExit status: 0 saved, 1 the test did not go well and nothing was saved, 64 it is not sound, 75 it was changed meanwhile.'

/** `svc connections`: the connections of the console, and the environments that have names for them. */
export function registerConnections(program: Command, deps: ConnectionsDeps): void {
  const connections = program.command('connections').description('connections of the console, without their secrets')
  withOutput(connections.command('list').description('list the connections, by name')).action(
    async (flags: ListFlags) => {
      const rows = await deps.api().connections()
      const empty = 'there are no connections; one is made with: svc connections create'
      printList(deps, flags, { columns: connectionColumns(Date.now()), rows, empty })
    },
  )
  connections
    .command('show')
    .argument('<connection>', NAMED)
    .description('show one connection, without its secret')
    .option('--json', 'print JSON')
    .action(async (named: string, { json }: { json?: boolean }) => {
      const api = deps.api()
      const { id } = await connectionNamed(api, named)
      const found = await api.connection(id)
      for (const line of json ? [visibleJson(found)] : connectionLines(found, Date.now())) deps.out(line)
    })
  withOutput(connections.command('kinds').description('list what each kind of connection takes'))
    .addArgument(new Argument('[kind]', 'this kind alone').choices([...CONNECTION_KINDS]))
    .action((kind: string | undefined, flags: ListFlags) => listKinds(deps, kind, flags))
  withSaving(connections.command('create').description('make a connection'), 'what it leads to')
    .argument('<name>', 'its name, which never changes: lower-case letters, digits, dashes and underscores')
    .action((name: string, flags) => createConnection(deps, name, flags))
  withSaving(connections.command('update').description('change a connection; what is not named stays'), 'another kind')
    .argument('<connection>', NAMED)
    .action((named: string, flags) => updateConnection(deps, named, flags))
  connections
    .command('delete')
    .argument('<connection>', NAMED)
    .description('delete a connection and its secret; refused while environments have names for it')
    .action(async (named: string) => {
      const api = deps.api()
      const { id, etag } = await connectionNamed(api, named)
      await api.deleteConnection(id, etag)
    })
  registerTest(connections, deps)
  registerAuthorize(connections, deps)
  registerTools(connections, deps)
  withSecret(connections.command('rotate').argument('<connection>', NAMED))
    .description('give it a new secret, from standard input unless a file is named')
    .option('--test <environment>', 'use it once with the new secret, and keep the old one if that does not go well')
    .option('--json', 'print JSON')
    .addHelpText('after', SAVED)
    .action((named: string, flags) => rotateConnection(deps, named, flags))
  registerBinding(connections, deps)
}

function registerTest(connections: Command, deps: ConnectionsDeps): void {
  connections
    .command('test')
    .argument('<connection>', NAMED)
    .description('use it once as a step would, and keep the outcome')
    .option('--environment <name>', 'whose egress rules apply')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 healthy, 1 degraded or failed.')
    .action(async (named: string, { environment, json }: { environment?: string; json?: boolean }) => {
      const api = deps.api()
      const { id } = await connectionNamed(api, named)
      const found = await api.testConnection({ id, ...(environment !== undefined && { environment }) })
      deps.out(json === true ? visibleJson(found) : outcomeLine(found))
      if (!found.ok) deps.exit(EXIT.failed)
    })
}

function registerBinding(connections: Command, deps: ConnectionsDeps): void {
  connections
    .command('bind')
    .argument('<connection>', NAMED)
    .argument('<environment>', 'where steps use it')
    .argument('<alias>', ALIAS)
    .description('have an environment lead steps to it, by a name; the rest of the environment stays')
    .option('--json', 'print JSON')
    .action((connection: string, environment: string, alias: string, flags: { json?: boolean }) =>
      bindConnection(deps, { connection, environment, alias }, flags),
    )
  connections
    .command('unbind')
    .argument('<environment>', 'where steps use it')
    .argument('<alias>', ALIAS)
    .description('take a name of a connection from an environment')
    .option('--json', 'print JSON')
    .action((environment: string, alias: string, flags: { json?: boolean }) =>
      unbindConnection(deps, { environment, alias }, flags),
    )
}

function withSaving(command: Command, kind: string): Command {
  return withSecret(command)
    .addOption(new Option('--kind <kind>', `${kind}; see svc connections kinds`).choices([...CONNECTION_KINDS]))
    .addOption(new Option('--auth <way>', 'how it signs in').choices([...CONNECTION_AUTH]))
    .option('--set <key=value>', 'a setting of its kind (repeatable); key= takes it away', collectPair, [])
    .option(
      '--file <file>',
      'kind, auth, config and workspaces as YAML or JSON, without the secret; - for standard input',
    )
    .option('--workspace <slug...>', 'workspaces whose runs may use it; "*" for all')
    .option(
      '--test <environment>',
      'use it once under the egress rules of an environment, and save it only if that goes well',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', SAVED)
}

function withSecret(command: Command): Command {
  return command
    .addOption(new Option('--secret-stdin', 'read the secret from standard input').conflicts('secretFile'))
    .option('--secret-file <file>', 'read the secret from a file')
}

async function listKinds(deps: ConnectionsDeps, kind: string | undefined, flags: ListFlags): Promise<void> {
  const forms = (await deps.api().connectionKinds()).filter((form) => kind === undefined || form.kind === kind)
  if (isJson(flags)) for (const form of forms) deps.out(visibleJson(form))
  else printList(deps, flags, { columns: KIND_COLUMNS, rows: forms.flatMap(kindRows), empty: '' })
}
