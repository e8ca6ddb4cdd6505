import { rmSync } from 'node:fs'
import { inject } from 'vitest'
import { startModelServer } from '#cli/dev/model-server.ts'
import type { Script, ScriptedRequest, ScriptedTurn } from '#cli/dev/scripted-answer.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import type { Effect } from '#core/policy/types.ts'
import { createIds } from '#platform/ids.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { createTestApi, type TestApi, type TestApiOptions } from './api-client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { fileFixture } from './file-fixture.ts'
import { onePack } from './one-pack.ts'
import { openEnvironments } from './open-environments.ts'
import type { Prepare } from './refused-operation.ts'
import { scriptedModels } from './scripted-models.ts'
import { addWorkspace } from './tenants.ts'
import { addUser, bearer, SECRET } from './users.ts'

type Headers = Record<string, string>
/** What the model says in its rounds, one after the other; the last of them again and again. */
export type Play = (ScriptedTurn | ((request: ScriptedRequest) => ScriptedTurn))[]

export interface AskedTurn {
  status: number
  body: Record<string, unknown>
  headers: globalThis.Headers
}

/** The ask agent before a model whose part a test plays, with people of two workspaces. */
export interface AskWorld {
  api: TestApi
  database: TestDatabase
  /** Ann is an operator, Bob another one, Vic a viewer; Mallory is of the other workspace alone */
  ann: Headers
  bob: Headers
  vic: Headers
  mallory: Headers
  annId: string
  other: string
  packs: ServiceDeps['packs']
  models: ReturnType<typeof scriptedModels>
  content: NonNullable<TestApiOptions['content']>
  /** what the model was asked in the last turn, round by round */
  asked: ScriptedRequest[]
  /** Asks, with the model playing this. */
  ask(play: Play, options?: { query?: string; thread_id?: string; who?: Headers; path?: string }): Promise<AskedTurn>
  /** what policies say of calls of models in the environment `judged` */
  judge(effect: Effect | undefined): void
  /** plays by their questions, where several are asked at once */
  plays: Map<string, Play>
  /** plays it in the next turn, for anyone who asks by other means */
  play(play: Play): void
  close(): Promise<void>
}

/** A cent for two hundred thousand tokens: a turn has room for all its rounds. */
const PRICES = { input: 50_000, output: 400_000 }
/** Environments in which a call of a model is refused; workspaces have their names. */
const FILES = {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\n',
  'environments/judged.yaml': 'name: judged\nclass: development\nworkspaces: ["*"]\n',
  'environments/live.yaml': 'name: live\nclass: production\nworkspaces: ["*"]\n',
  'environments/daily.yaml': 'name: daily\nclass: development\nworkspaces: ["*"]\ncost_gate: { daily_usd: 0.00001 }\n',
  'environments/bare.yaml': 'name: bare\nclass: development\nworkspaces: ["*"]\nprofile: bare\n',
  'environments/iced.yaml':
    'name: iced\nclass: development\nworkspaces: ["*"]\nfreeze: [{ name: winter, interval: { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" }, scope: all }]\n',
  'profiles/bare.yaml': 'name: bare\nmodel_roles: { default: slow }\n',
}
const ids = createIds()
let opened: Promise<AskWorld> | undefined

/** One for all files that a process runs; it ends with the server that its database is on. */
export function sharedAskWorld(): Promise<AskWorld> {
  opened ??= openAskWorld(inject('postgres_url'))
  return opened
}

/** The shared world as the tests of a file name it. */
export const askWorld = (): AskWorld => fileFixture(sharedAskWorld, () => {})

export async function openAskWorld(postgresUrl: string, settings: Record<string, string> = {}): Promise<AskWorld> {
  const database = await createTestDatabase(postgresUrl)
  const { environments, home } = openEnvironments(database.db, FILES)
  let effect: Effect | undefined
  const asked: ScriptedRequest[] = []
  let current: Play = [{ say: '' }]
  const plays = new Map<string, Play>()
  const script: Script = (request) => {
    asked.push(request)
    const at = request.messages.findLastIndex(({ role }) => role === 'user')
    const play = plays.get(textOf(request.messages[at]?.content)) ?? current
    const round = request.messages.slice(at).filter(({ role }) => role === 'assistant').length
    const turn = play[Math.min(round, play.length - 1)] ?? { say: '' }
    return typeof turn === 'function' ? turn(request) : turn
  }
  const upstream = await startModelServer({ script })
  const bound = scriptedModels(upstream.url, { default: { model: 'script' } })
  const models = {
    ...bound,
    models: bound.models.map((each) => ({
      ...each,
      prices: each.id === 'slow' ? undefined : PRICES,
      limits: { context: 200_000, output: 2_000 },
    })),
  }
  const packs = restartPack()
  const content: NonNullable<TestApiOptions['content']> = {
    environments,
    policies: {
      effective: async (_workspace, environment) =>
        compilePolicies(
          { layers: { pack: EMPTY_LAYER, overlay: judgedBy(effect), console: EMPTY_LAYER }, environment },
          { hash: (text) => `sha256:${text.length}` },
        ),
    },
  }
  const api = await createTestApi(database, { secret: SECRET, models, content, services: { packs }, ask: settings })
  const other = ids.next('workspace')
  await addWorkspace(database, other, 'other')
  const ann = await addUser(api.deps, { roles: ['operator'] })
  const signIn = async (roles: string[], workspaces?: string[]) =>
    await bearer(api.deps, await addUser(api.deps, { roles, ...(workspaces && { workspaces }) }))
  const world: AskWorld = {
    ...{ api, database, packs, models, content, asked, plays, other, annId: ann.id },
    ann: await bearer(api.deps, ann),
    bob: await signIn(['operator']),
    vic: await signIn(['viewer']),
    mallory: await signIn(['operator'], [other]),
    judge(options) {
      effect = options
    },
    play(play) {
      asked.length = 0
      current = play
    },
    async ask(play, { query = 'what is going on?', thread_id, who = world.ann, path = '/ask' } = {}) {
      world.play(play)
      const answer = await api.post(path, { query, ...(thread_id !== undefined && { thread_id }) }, who)
      return { status: answer.status, body: await recordIn(answer), headers: answer.headers }
    },
    async close() {
      await api.close()
      environments.close()
      await upstream.stop()
      rmSync(home, { recursive: true })
      await database.drop()
    },
  }
  return world
}

/** The object that an answer is. */
export async function recordIn(answer: Response): Promise<Record<string, unknown>> {
  return (await answer.json()) as Record<string, unknown>
}

/** A question of somebody who may enter every workspace, in one whose runs are in this environment. */
export function askedIn(
  path: string,
  environment: string,
  prepare?: (world: AskWorld, id: string) => unknown,
): Prepare<AskWorld> {
  return async (world) => {
    const id = ids.next('workspace')
    await addWorkspace(world.database, id, `${environment}-${id.slice(-8)}`)
    await world.database.db`update workspaces set default_environment = ${environment} where id = ${id}`
    const who = await bearer(world.api.deps, await addUser(world.api.deps, { roles: ['owner'], workspaces: ['*'] }))
    await prepare?.(world, id)
    return () => world.api.post(path, { query: 'what runs?' }, { ...who, 'x-svc-workspace': id })
  }
}

/** A halt over this workspace. */
export async function haltHere({ database: { db } }: AskWorld, workspaceId: string): Promise<void> {
  await db`
    insert into halts (id, workspace_id, environment, reason, set_by) values (${ids.next('halt')}, ${workspaceId}, 'development', 'a drill', '{}')`
}

function judgedBy(effect: Effect | undefined) {
  const scope = { environments: ['judged'], risks: [], action_types: ['llm.generate'], capabilities: [] }
  const rules = effect && [{ effect, reason: 'so it was decided', channels: [] }]
  return {
    policies: rules ? [{ name: 'models', layer: 'overlay' as const, source: 'models.yaml', scope, rules }] : [],
    broken: [],
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}

/** What the results say that the model was shown last, by their ids. */
export function shownResults({ messages }: ScriptedRequest): Record<string, Record<string, unknown>> {
  const shown = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
  return Object.fromEntries(
    shown.flatMap((text) =>
      Array.from(text.matchAll(/^<data id="(t\d+)"[^>]*>\n(.*)\n<\/data>$/gm), ([, id, json = 'null']) => [
        id,
        JSON.parse(json),
      ]),
    ),
  )
}

/** One template that takes an address and a token, which is a secret. */
function restartPack(): ServiceDeps['packs'] {
  const packs = onePack()
  const inputs_schema = {
    type: 'object',
    required: ['url', 'token'],
    properties: {
      url: { type: 'string', description: 'The service' },
      action: { enum: ['restart', 'rollback'], default: 'restart' },
      reason: { type: 'string' },
      token: { type: 'string', writeOnly: true },
    },
  }
  const list = packs.list().map((pack) => ({
    ...pack,
    templates: pack.templates.map((each) => ({
      ...each,
      inputs_schema,
      description: 'Restarts a service that is down',
    })),
  }))
  return {
    ...packs,
    list: () => list,
    findTemplate: (pack, name) =>
      list.find((each) => each.name === pack)?.templates.find((each) => each.template === name),
  }
}

/** A round in which the model calls these tools. */
export function calls(...tools: [name: string, args?: object | string][]): ScriptedTurn {
  return { calls: tools.map(([name, args]) => ({ name, ...(args !== undefined && { arguments: args }) })) }
}
