import type { Log } from '#core/log.ts'
import type { ModelRoles } from '#core/models/model.ts'
import { parseSaidRoles } from '#core/models/roles-record-schema.ts'
import { followStore } from '#platform/follow-store.ts'
import type { ModelSource } from './model-source.ts'

/** The models of a deployment under what the console says of their roles. */
export interface LayeredModels extends Pick<ModelSource, 'bound'> {
  /** roles as each layer says them */
  layers(): { file: ModelRoles; console: ModelRoles }
  /** what was said in the console before the call is in force when it resolves. Rejects when the store does not answer */
  reloadConsole(): Promise<void>
  close(): void
}

export interface LayeredModelsOptions {
  /** what the console says; undefined where it says nothing */
  load(): Promise<string | undefined>
  log: Pick<Log, 'warn'>
  /** how often the store is polled for what other processes have written; 1,000 */
  poll_ms?: number
}

/** A role is what the console says, else what `models.yaml` says. While the store does not answer, the last known stays in force. */
export function layerModels(
  files: Pick<ModelSource, 'bound'>,
  { load, log, poll_ms }: LayeredModelsOptions,
): LayeredModels {
  let text: string | undefined
  let said: ModelRoles = {}

  async function readOnce(): Promise<void> {
    const found = await load()
    if (found === text) return
    text = found
    const roles = found === undefined ? {} : parseSaidRoles(found)
    if (roles === undefined)
      log.warn({}, 'what the console says about the roles of models cannot be read by this release')
    else said = roles
  }

  const following = followStore({
    read: readOnce,
    onFailure: (err) =>
      log.warn({ err }, 'the roles of models that the console says cannot be read: the last known stay'),
    poll_ms,
  })
  return {
    bound() {
      const { models, roles } = files.bound()
      return { models, roles: { ...roles, ...said } }
    },
    layers: () => ({ file: files.bound().roles, console: said }),
    reloadConsole: following.reload,
    close: following.close,
  }
}
