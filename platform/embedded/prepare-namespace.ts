import type { ConnectionLike } from '@temporalio/client'
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js'
import { DomainError } from '#core/errors.ts'
import { SEARCH_ATTRIBUTES } from '#core/run/search.ts'
import { DAY_MS } from '#core/time/time.ts'
import type { Logger } from '../logger.ts'

const RETENTION_MS = 30 * DAY_MS
/** `temporal.api.enums.v1.IndexedValueType` and the gRPC status codes that matter here */
const KEYWORD = 2
const NOT_FOUND = 5
const ALREADY_EXISTS = 6

export interface PrepareNamespaceOptions {
  connection: ConnectionLike
  namespace: string
  log: Logger
  /** false for a foreign cluster: a denied change is a warning, and its retention belongs to its owner */
  owned: boolean
}

/** Registers the search attributes and keeps closed histories for 30 days. Safe at every boot: a namespace has its settings from when it was made. */
export async function prepareNamespace({ connection, namespace, log, owned }: PrepareNamespaceOptions): Promise<void> {
  const attempts = [
    addSearchAttributes(connection, namespace),
    owned ? extendRetention(connection, namespace) : checkNamespace(connection, namespace),
  ]
  for (const result of await Promise.allSettled(attempts)) {
    if (result.status === 'fulfilled') continue
    if (codeOf(result.reason) === NOT_FOUND) {
      throw new DomainError(
        'dependency_unavailable',
        `Temporal has no namespace ${namespace} (TEMPORAL_NAMESPACE)`,
        {},
        { cause: result.reason },
      )
    }
    if (owned) throw result.reason
    log.warn(
      { namespace, err: result.reason },
      'the Temporal namespace could not be prepared; filters in its Web UI may be missing',
    )
  }
}

async function addSearchAttributes(connection: ConnectionLike, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  const missing = SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] === undefined)
  if (missing.length === 0) return
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]))
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
  } catch (error) {
    if (codeOf(error) !== ALREADY_EXISTS) throw error
  }
}

async function extendRetention(connection: ConnectionLike, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace })
  if ((optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0) >= RETENTION_MS) return
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
  })
}

async function checkNamespace(connection: ConnectionLike, namespace: string): Promise<void> {
  await connection.workflowService.describeNamespace({ namespace })
}

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined
}
