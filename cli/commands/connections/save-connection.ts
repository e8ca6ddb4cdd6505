import { isCancel, password } from '@clack/prompts'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { workspaceNamed } from '../../client/find-named.ts'
import { connectionNamed } from '../../client/named-records.ts'
import type { CliDeps } from '../../deps.ts'
import { EXIT } from '../../exit-codes.ts'
import { readObject, readSource } from '../../parse-inputs.ts'
import { printable } from '../../views/format.ts'
import { type ConnectionFile, type SettingsFlags, settingsOf, settingsOfFile, signsIn } from './draft-of.ts'
import { connectionLines } from './show-connection.ts'

export interface SaveFlags extends SettingsFlags, SecretFlags {
  file?: string
  test?: string
  json?: boolean
}

export interface SaveDeps extends Pick<CliDeps, 'out' | 'err' | 'readInput' | 'interactive' | 'exit'> {
  api(): Pick<
    ApiClient,
    | 'connection'
    | 'connections'
    | 'connectionKinds'
    | 'testConnection'
    | 'createConnection'
    | 'updateConnection'
    | 'workspaces'
  >
}

const MAX = 1_000

/** `svc connections create`: a connection that is there only when its test went well, where one was asked for. */
export async function createConnection(deps: SaveDeps, name: string, flags: SaveFlags): Promise<void> {
  const api = deps.api()
  const forms = await api.connectionKinds()
  const { name: named = name, ...file } = await fileOf(deps, flags)
  if (named !== name) throw new DomainError('validation_failed', `the file is of ${named}, and not of ${name}`)
  const { kind, config = {}, ...settings } = settingsOf(await withSlugs(api, flags), file, { before: undefined, forms })
  if (kind === undefined) throw new Error('settings without a kind')
  const secret = await readSecret(deps, flags, signsIn({ kind, ...settings }, forms))
  const draft = { ...settings, kind, config, ...(secret !== undefined && { secret }) }
  await tested(deps, flags, draft)
  show(deps, flags, await keepTest(api, flags, await api.createConnection({ name, ...draft })))
}

/** `svc connections update`: what is not named stays. */
export async function updateConnection(deps: SaveDeps, named: string, flags: SaveFlags): Promise<void> {
  const api = deps.api()
  const before = await connectionNamed(api, named)
  const { name = before.name, ...file } = await fileOf(deps, flags)
  if (name !== before.name)
    throw new DomainError(
      'validation_failed',
      `the file is of ${name}, and not of ${before.name}: a name never changes`,
    )
  const settings = settingsOf(await withSlugs(api, flags), file, { before, forms: await api.connectionKinds() })
  const secret = await readSecret(deps, flags, false)
  const edit = { ...settings, ...(secret !== undefined && { secret }) }
  if (Object.keys(edit).length === 0)
    throw new DomainError('validation_failed', 'say what changes, such as --set; see svc connections update --help')
  await tested(deps, flags, { id: before.id, ...edit })
  show(deps, flags, await keepTest(api, flags, await api.updateConnection(before.id, before.etag, edit)))
}

/** `svc connections rotate`: a new secret, and nothing else. */
export async function rotateConnection(
  deps: SaveDeps,
  named: string,
  flags: SecretFlags & { test?: string; json?: boolean },
): Promise<void> {
  const api = deps.api()
  const { id, etag } = await connectionNamed(api, named)
  const { secretStdin = flags.secretFile === undefined && !deps.interactive } = flags
  const secret = await readSecret(deps, { ...flags, secretStdin }, true)
  if (secret === undefined) throw new Error('a rotation without a secret')
  await tested(deps, flags, { id, secret })
  const rotated = await keepTest(api, flags, await api.updateConnection(id, etag, { secret }))
  if (flags.json === true) deps.out(visibleJson(rotated))
  else deps.out(printable(`${rotated.name} has the new secret, as version ${rotated.version}`))
}

async function fileOf({ readInput }: SaveDeps, { file, secretStdin }: SaveFlags): Promise<ConnectionFile> {
  if (file === undefined) return {}
  if (file === '-' && secretStdin === true)
    throw new DomainError('validation_failed', 'standard input is the file or the secret: name the other as a file')
  return settingsOfFile(await readObject(file, readInput, 'settings of a connection'))
}

/** Workspaces are granted by slug; people also know them by name and id. */
async function withSlugs<Flags extends SettingsFlags>(
  api: Pick<ApiClient, 'workspaces'>,
  flags: Flags,
): Promise<Flags> {
  const { workspace } = flags
  if (workspace === undefined || workspace.every((each) => each === '*')) return flags
  const { items } = await api.workspaces(MAX)
  return { ...flags, workspace: workspace.map((each) => (each === '*' ? each : workspaceNamed(each, items).slug)) }
}

type TestRequest = Parameters<ApiClient['testConnection']>[0]

/** Ends the command where the test of a connection to be saved does not go well. */
async function tested(
  deps: SaveDeps,
  { test, json }: Pick<SaveFlags, 'test' | 'json'>,
  { workspaces: _granted, ...asked }: TestRequest & { workspaces?: string[] },
): Promise<void> {
  if (test === undefined) return
  const found = await deps.api().testConnection({ ...asked, environment: test })
  if (found.ok) {
    deps.err(outcomeLine(found))
    return
  }
  if (json === true) deps.out(visibleJson(found))
  else deps.err(`${outcomeLine(found)}; nothing was saved`)
  deps.exit(EXIT.failed)
}

/** Tests once more what was saved: only the test of a stored connection becomes its status. */
async function keepTest<Saved extends { id: string }>(
  api: Pick<ApiClient, 'connection' | 'testConnection'>,
  { test: environment }: Pick<SaveFlags, 'test'>,
  saved: Saved,
): Promise<Saved | Schema<'Connection'>> {
  if (environment === undefined) return saved
  await api.testConnection({ id: saved.id, environment })
  return await api.connection(saved.id)
}

/** Formats the outcome of a test. */
export function outcomeLine({ status, detail, latency_ms }: Schema<'ConnectionTestResult'>): string {
  return printable(`${status}  ${latency_ms} ms  ${detail}`)
}

function show({ out }: Pick<SaveDeps, 'out'>, { json }: SaveFlags, connection: Schema<'Connection'>): void {
  if (json === true) out(visibleJson(connection))
  else for (const line of connectionLines(connection, Date.now())) out(line)
}

export interface SecretFlags {
  secretStdin?: boolean
  secretFile?: string
}

/** The secret from standard input, a file or, where one is needed, the terminal. Never an argument: others see those. */
export async function readSecret(
  deps: Pick<CliDeps, 'interactive' | 'readInput'>,
  { secretStdin, secretFile }: SecretFlags,
  needed: boolean,
): Promise<string | undefined> {
  const from = secretStdin === true ? '-' : secretFile
  if (from === undefined) return needed && deps.interactive ? await askSecret() : undefined
  const secret = (await readSource(from, deps.readInput, 'secret')).replace(/\r?\n$/, '')
  if (secret !== '') return secret
  throw new DomainError('validation_failed', `there is no secret ${from === '-' ? 'on standard input' : `in ${from}`}`)
}

async function askSecret(): Promise<string> {
  const answer = await password({ message: 'Secret', validate: (value) => (value ? undefined : 'there is no secret') })
  if (isCancel(answer)) throw new DomainError('validation_failed', 'no secret was given')
  return answer
}
