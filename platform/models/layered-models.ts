import type { Log } from '#core/log.ts'
import type { ModelRoles } from '#core/models/model.ts'
import { parseSaidRoles } from '#core/models/roles-record-schema.ts'
import type { ModelSource } from './model-source.ts'

/** The models of a deployment under what the console says of their roles. */
export interface LayeredModels extends Pick<ModelSource, 'bound'> {
  /** roles as each layer says them */
  layers(): { file: ModelRoles; console: ModelRoles }
  /** what was said in the console before the call is in force when it resolves. Rejects when the store does not answer */
  lookAtConsole(): Promise<void>
  close(): void
}

export interface LayeredModelsOptions {
  /** what the console says; undefined where it says nothing */
  load(): Promise<string | undefined>
  log: Pick<Log, 'warn'>
  /** how often it is looked at what other processes have written; 1,000 */
  poll_ms?: number
}

/** A role is what the console says, else what `models.yaml` says. While the store does not answer, the last known stays in force. */
export function layerModels(
  files: Pick<ModelSource, 'bound'>,
  { load, log, poll_ms = 1_000 }: LayeredModelsOptions,
): LayeredModels {
  let text: string | undefined
  let said: ModelRoles = {}
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let failing = false

  async function lookOnce(): Promise<void> {
    const found = await load()
    failing = false
    if (found === text) return
    text = found
    const roles = found === undefined ? {} : parseSaidRoles(found)
    if (roles === undefined)
      log.warn({}, 'what the console says about the roles of models cannot be read by this release')
    else said = roles
  }

  /** One look after the other, so that an older answer never follows a newer one. */
  function look(): Promise<void> {
    waiting += 1
    const next = last.then(lookOnce, lookOnce).finally(() => {
      waiting -= 1
    })
    last = next
    return next
  }

  const timer = setInterval(() => {
    if (waiting > 0) return
    look().catch((err: unknown) => {
      if (!failing) log.warn({ err }, 'the roles of models that the console says cannot be read: the last known stay')
      failing = true
    })
  }, poll_ms)
  timer.unref()
  return {
    bound() {
      const { models, roles } = files.bound()
      return { models, roles: { ...roles, ...said } }
    },
    layers: () => ({ file: files.bound().roles, console: said }),
    lookAtConsole: look,
    close: () => clearInterval(timer),
  }
}
