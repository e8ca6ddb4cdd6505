import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../api-client.ts'
import type { CliDeps } from '../deps.ts'
import { readModelsText, writeModelsText } from './models-file.ts'

/** Longest wait until the service has read what was written. */
const READ_WITHIN_MS = 15_000
const LOOK_EVERY_MS = 100

/** how a shell reports a command that SIGINT ended */
const INTERRUPTED = 130

type Api = Pick<ApiClient, 'url' | 'models' | 'probeModel'>

interface Change {
  path: string
  /** the model that is new */
  id: string
  before: string | undefined
  after: string
  exit: CliDeps['exit']
}

/**
 * Keeps a change only where the running service gets an answer out of the model: it is the service that needs the key and the way there,
 * and what it asks is judged, paid for and on record. The model stands in the file while it is asked; whatever fails puts the file back.
 */
export async function saveIfItAnswers(
  api: Api,
  { path, id, before, after, exit }: Change,
): Promise<Schema<'ModelProbe'>> {
  await mustAnswer(api, id)
  await writeModelsText(path, after)
  const putBack = async () => {
    // what somebody else has written meanwhile stays
    if ((await readModelsText(path)) === after) await writeModelsText(path, before)
  }
  const interrupted = () => void putBack().finally(() => exit(INTERRUPTED))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted)
  try {
    await untilRead(api, { path, id })
    const probe = await api.probeModel(id)
    if (!probe.ok) await putBack()
    return probe
  } catch (error) {
    await putBack()
    throw error
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted)
  }
}

async function mustAnswer(api: Api, id: string): Promise<void> {
  const known = await api.models().catch((cause: unknown) => {
    if (!(cause instanceof DomainError)) throw cause
    const message = `${cause.message}\nA new model is probed through the service before it is saved; --no-probe saves it without`
    throw new DomainError('dependency_unavailable', message, {}, { cause })
  })
  if (known.some((each) => each.id === id))
    throw new DomainError('conflict', `the service on ${api.url} has a model ${id} already, from another models.yaml`)
}

async function untilRead(api: Api, { path, id }: Pick<Change, 'path' | 'id'>): Promise<void> {
  const deadline = Date.now() + READ_WITHIN_MS
  while (!(await api.models()).some((each) => each.id === id)) {
    if (Date.now() > deadline)
      throw new DomainError(
        'conflict',
        `the service on ${api.url} does not read ${path}, so that it cannot probe ${id}`,
      )
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
