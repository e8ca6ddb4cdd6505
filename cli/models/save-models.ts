import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { readModelsText, writeModelsText } from './models-file.ts'

/** Longest wait until the service has read the file. */
const READ_WITHIN_MS = 15_000
const LOOK_EVERY_MS = 100

/** exit code of a command that SIGINT ended */
const INTERRUPTED = 130
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

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
 * Keeps a change only if the running service gets an answer from the model: the service needs the key and the network, and its call is
 * judged, paid for and recorded. The model is in the file during the call; any failure restores the file.
 */
export async function saveIfItAnswers(api: Api, change: Change): Promise<Schema<'ModelProbe'>> {
  await mustAnswer(api, change.id)
  return await whileBound(api, change, {
    work: () => api.probeModel(change.id),
    keeps: ({ ok }) => ok,
  })
}

/** Works while the service has the changed model, and then restores the file, unless the result keeps it. */
export async function whileBound<Result>(
  api: Pick<Api, 'url' | 'models'>,
  { path, id, before, after, exit }: Change,
  { work, keeps }: { work(): Promise<Result>; keeps(result: Result): boolean },
): Promise<Result> {
  const putBack = async () => {
    // a concurrent change stays
    if ((await readModelsText(path)) === after) await writeModelsText(path, before)
  }
  const interrupted = () => void putBack().finally(() => exit(INTERRUPTED))
  await writeModelsText(path, after)
  for (const signal of SIGNALS) process.once(signal, interrupted)
  let kept = false
  try {
    await untilRead(api, { path, id })
    const result = await work()
    kept = keeps(result)
    return result
  } finally {
    if (!kept) await putBack()
    for (const signal of SIGNALS) process.off(signal, interrupted)
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

async function untilRead(api: Pick<Api, 'url' | 'models'>, { path, id }: Pick<Change, 'path' | 'id'>): Promise<void> {
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
