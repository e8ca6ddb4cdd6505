import type { Environment, QueueBinding } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import type { AcceptedTool } from '#core/mcp/tool-schema.ts'
import { shownAddress } from '#core/models/data-text.ts'
import type { PricedModel } from '#core/models/model.ts'
import type { Connection, ConnectionTarget } from '#core/operator.ts'
import { modelsText, type ShownModel } from '#core/run/model-text.ts'
import { connectionText, queueText } from '#core/run/shown-data.ts'
import type { CommitmentOf } from '#core/secret/redact-input.ts'
import type { OpenedConnection } from '#services/connections/open-connection.ts'
import type { StepDeps } from '../deps.ts'
import { connectionTarget } from '../operators/postgres/connection-target.ts'
import type { RunSession } from '../run/run-session.ts'
import type { ResolvedModels } from './resolve-models.ts'

/**
 * All that a step is resolved through beside its run: read once before it is judged, and the only way by which its operator reaches
 * anything. Each member is hashed and shown as `RESOLVED` says; one without an entry there does not compile.
 */
export interface Resolved {
  environment: Pick<Environment, 'name' | 'egress'>
  connection: ResolvedConnection | undefined
  second_connection: ResolvedConnection | undefined
  /** the tool of an MCP server, as a person accepted it */
  tool: AcceptedTool | undefined
  models: ResolvedModels | undefined
  queue: ResolvedQueue | undefined
  /** what the operator says of the deployment that it works through, such as the directory of backups */
  deployment: JsonObject | undefined
}

/** The task queue of a step that an external worker does. */
export type ResolvedQueue = QueueBinding & { name: string }

interface Covered<Value> {
  /** in a sentence about what has changed */
  title: string
  /** as approvers read it; all of it is hashed */
  shown(value: Value): Json
  /** what is hashed by its commitment alone */
  secret(value: Value): Json
  /** what is shown, in words */
  text(value: Value): string
}

const CONNECTION: Covered<ResolvedConnection> = {
  title: 'the connection',
  shown: ({ id, target }) => ({ id, ...target }),
  secret: ({ url, covered }) => covered ?? url,
  text: ({ id, target }) => connectionText(id, target),
}

const RESOLVED: { [Name in keyof Resolved]: Covered<NonNullable<Resolved[Name]>> } = {
  environment: {
    title: 'what the environment may reach',
    shown: ({ name, egress }) => ({ name, egress: egressRules({ egress }) }),
    secret: () => null,
    text: (value) => ['public addresses', ...egressRules(value)].join(', '),
  },
  connection: CONNECTION,
  second_connection: { ...CONNECTION, title: 'the second connection' },
  tool: {
    title: 'the tool',
    shown: ({ digest, effect }) => ({ digest, effect }),
    secret: () => null,
    text: ({ definition, effect }) => {
      const { name, description = '', ...rest } = definition
      return `${name}, a ${effect}: ${description} ${canonicalText(rest)}`
    },
  },
  models: {
    title: 'the models that may answer',
    shown: (value) => shownModels(value),
    secret: ({ found }) => ('problem' in found ? null : found.models.candidates.map(secretOf)),
    text: (value) => modelsText(shownModels(value)),
  },
  queue: {
    title: 'the queue of the worker',
    shown: (value) => value,
    secret: () => null,
    text: queueText,
  },
  deployment: {
    title: 'what the deployment gives it',
    shown: (value) => value,
    secret: () => null,
    text: (value) =>
      Object.entries(value)
        .map(
          ([name, said]) =>
            `${name} ${typeof said === 'object' && said !== null ? canonicalText(said) : (said ?? 'none')}`,
        )
        .join(', '),
  },
}

/** One part of what is resolved, as it is hashed, and in words for approvers. */
export interface CoveredPart {
  title: string
  hashed: Json
  text: string
}

export function coveredParts(
  resolved: Resolved,
  commitmentOf: CommitmentOf | undefined,
): Partial<Record<keyof Resolved, CoveredPart>> {
  return {
    environment: part('environment', resolved.environment, commitmentOf),
    connection: part('connection', resolved.connection, commitmentOf),
    // few have one: the hash of every other plan stays what it was
    ...(resolved.second_connection !== undefined && {
      second_connection: part('second_connection', resolved.second_connection, commitmentOf),
    }),
    ...(resolved.queue !== undefined && { queue: part('queue', resolved.queue, commitmentOf) }),
    ...(resolved.tool !== undefined && { tool: part('tool', resolved.tool, commitmentOf) }),
    models: part('models', resolved.models, commitmentOf),
    deployment: part('deployment', resolved.deployment, commitmentOf),
  }
}

function part<Name extends keyof Resolved>(
  name: Name,
  value: Resolved[Name] | undefined,
  commitmentOf: CommitmentOf | undefined,
): CoveredPart {
  const { title, shown, secret, text }: Covered<NonNullable<Resolved[Name]>> = RESOLVED[name]
  if (value === undefined || value === null) return { title, hashed: null, text: 'none' }
  const hidden = secret(value)
  return {
    title,
    hashed: { shown: shown(value), secret: hidden === null ? null : (commitmentOf?.({ [name]: hidden }) ?? null) },
    text: text(value),
  }
}

/** Sorted: the order in which they are written does not matter. */
export function egressRules({ egress }: Pick<Environment, 'egress'>): string[] {
  return [...new Set(egress)].sort()
}

type ShownModels = { name: string; candidates: ShownModel[]; texts_on_record: boolean; problem?: string }

/** The models as people are shown them: everything that `models.yaml` says of each, and where it is asked; its key by its reference alone. */
export function shownModels({ name, found }: ResolvedModels): ShownModels {
  if ('problem' in found) return { name, candidates: [], texts_on_record: false, problem: found.problem.message }
  const { models, profile } = found
  return {
    name,
    candidates: models.candidates.map(({ endpoint, base_url: _url, ...model }) => ({
      ...shownModel(model),
      ...('problem' in endpoint
        ? { problem: endpoint.problem.message }
        : { base_url: shownAddress(endpoint.base_url) }),
    })),
    texts_on_record: profile.audit?.model_texts === true,
  }
}

/** By spreading: what a later release says of a model is covered as well. */
function shownModel({ key, prices, limit_field, drop_params, ...model }: Omit<PricedModel, 'base_url'>): ShownModel {
  return {
    ...model,
    ...(limit_field !== undefined && { limit_field }),
    ...(drop_params !== undefined && { drop_params }),
    ...(key !== undefined && { key }),
    prices: JSON.parse(JSON.stringify(prices)),
  }
}

function secretOf({
  endpoint,
}: {
  endpoint: { problem: unknown } | { base_url: string; key?: string | undefined }
}): Json {
  return 'problem' in endpoint ? null : { base_url: endpoint.base_url, key: endpoint.key ?? null }
}

/** A connection as one step uses it: read once, judged, hashed, shown and used as that. */
interface ResolvedConnection extends Connection, Pick<OpenedConnection, 'use' | 'covered'> {
  id: string
  target: ConnectionTarget
}

/** Throws `not_configured`, which says what to add. */
export function resolveQueue(
  { name, queues = {} }: Pick<Environment, 'name' | 'queues'>,
  queue: string | undefined,
): ResolvedQueue | undefined {
  if (queue === undefined) return undefined
  const bound = Object.entries(queues).find(([each]) => each === queue)?.[1]
  if (bound !== undefined) return { name: queue, ...bound }
  const known = Object.keys(queues).join(', ') || 'none'
  throw new DomainError(
    'not_configured',
    `the queue ${queue} is not bound in the environment ${name}; bound: ${known}; add it under queues of environments/${name}.yaml`,
  )
}

/** Throws `not_found` or `not_configured`, which say what to do about it. */
export async function resolveConnection(
  deps: Pick<StepDeps, 'connect'>,
  { environment, head }: Pick<RunSession, 'environment' | 'head'>,
  id: string,
  tool?: string,
): Promise<ResolvedConnection> {
  const { kind, url, ...opened } = await deps.connect(environment, id, head.workspace_id, tool)
  try {
    return { id, kind, url, target: connectionTarget({ kind, url }), ...opened }
  } catch (cause) {
    const why = cause instanceof DomainError ? cause.message : 'its url cannot be read'
    throw new DomainError('not_configured', `connection ${id}: ${why}`, {}, { cause })
  }
}
