import type { Log } from '#core/log.ts'
import type { ModelRoles } from '#core/models/model.ts'
import { parseConsoleRoles } from '#core/models/roles-record-schema.ts'
import { followStore } from '#platform/follow-store.ts'
import type { ModelSource } from './model-source.ts'

/** The models of a deployment, with the console's bindings of roles over the file's. */
export interface LayeredModels extends Pick<ModelSource, 'bound'> {
  /** bindings of roles in each layer */
  layers(): { file: ModelRoles; console: ModelRoles }
  /** resolves when earlier changes in the console are in force. Rejects when the store does not answer */
  reloadConsole(): Promise<void>
  close(): void
}

export interface LayeredModelsOptions {
  /** the console's document, or undefined */
  load(): Promise<string | undefined>
  log: Pick<Log, 'warn'>
  /** interval of polling for writes of other processes; 1,000 */
  poll_ms?: number
}

/** Resolves a role by the console, else by `models.yaml`. While the store does not answer, the last known bindings stay in force. */
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
    const roles = found === undefined ? {} : parseConsoleRoles(found)
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
