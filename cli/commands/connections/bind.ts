import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { connectionNamed } from '../../client/named-records.ts'
import type { CliDeps } from '../../deps.ts'
import { printable } from '../../views/format.ts'

export interface BindDeps extends Pick<CliDeps, 'out'> {
  api(): Pick<ApiClient, 'connections' | 'environments' | 'saveEnvironment'>
}

interface Binding {
  environment: string
  /** the name that steps have for it */
  alias: string
}

/** `svc connections bind`: steps of an environment reach a connection under a name. */
export async function bindConnection(
  deps: BindDeps,
  { connection: named, environment, alias }: Binding & { connection: string },
  { json }: { json?: boolean },
): Promise<void> {
  const api = deps.api()
  const { name, kind } = await connectionNamed(api, named)
  const before = await environmentNamed(api, environment)
  const { text, was } = await withConnection(before, alias, { kind, url: `connection:${name}` })
  const saved = await api.saveEnvironment(before.name, before.etag, text)
  if (json === true) return deps.out(visibleJson(saved))
  deps.out(printable(`${saved.name}: ${alias} is connection ${name}${was === undefined ? '' : `, and was ${was}`}`))
  loosened(deps, saved)
}

/** `svc connections unbind`: steps of an environment no longer reach a connection under a name. */
export async function unbindConnection(
  deps: BindDeps,
  { environment, alias }: Binding,
  { json }: { json?: boolean },
): Promise<void> {
  const api = deps.api()
  const before = await environmentNamed(api, environment)
  const { text, was, known } = await withConnection(before, alias, undefined)
  if (was === undefined) {
    const why = before.connections.some(({ id }) => id === alias)
      ? `its file declares ${alias}: change it there`
      : `the console binds no connection to ${JSON.stringify(alias)}${didYouMean(alias, known)}`
    throw new DomainError('not_found', `${before.name}: ${why}`)
  }
  const saved = await api.saveEnvironment(before.name, before.etag, text)
  if (json === true) return deps.out(visibleJson(saved))
  deps.out(printable(`${saved.name}: ${alias} is no longer ${was}`))
  loosened(deps, saved)
}

function loosened({ out }: BindDeps, { loosens = [] }: Schema<'Environment'>): void {
  if (loosens.length > 0) out(printable(`  may be laxer now: ${loosens.join(', ')}`))
}

async function environmentNamed(api: Pick<ApiClient, 'environments'>, named: string): Promise<Schema<'Environment'>> {
  const known = await api.environments()
  const found = known.find(({ name }) => name === named)
  if (found !== undefined) return found
  const names = known.map(({ name }) => name)
  throw new DomainError('not_found', `there is no environment ${JSON.stringify(named)}${didYouMean(named, names)}`)
}

/** The console's document of an environment with a connection under a name, or without one; its comments and the rest stay. */
async function withConnection(
  { document: text, name }: Pick<Schema<'Environment'>, 'document' | 'name'>,
  alias: string,
  bound: { kind: string; url: string } | undefined,
): Promise<{ text: string; was: string | undefined; known: string[] }> {
  const { isMap, parseDocument } = await import('yaml')
  const document = parseDocument(text ?? `name: ${name}\n`)
  const connections = document.get('connections')
  const present = isMap(connections) ? connections : undefined
  const known = present?.items.map(({ key }) => String(key)) ?? []
  const was = present?.has(alias) === true ? String(document.getIn(['connections', alias, 'url'])) : undefined
  if (bound === undefined) present?.delete(alias)
  else if (present === undefined) document.set('connections', document.createNode({ [alias]: bound }))
  else present.set(alias, document.createNode(bound, { flow: true }))
  if (present?.items.length === 0) document.delete('connections')
  return { text: document.toString(), was, known }
}
