import { basename } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import type { Model, ModelRoles } from '#core/models/model.ts'
import { ModelsFile } from '#core/models/models-schema.ts'
import type { FollowOptions } from '#platform/packs/follow-directories.ts'
import { followFile } from '../follow-file.ts'

/** The models of a deployment, kept current while the process runs. */
export interface ModelSource {
  /** models by name, and the bindings of roles */
  bound(): { models: readonly Model[]; roles: ModelRoles }
  errors(): readonly FileFault[]
  /** reads the file now */
  reload(): void
  close(): void
}

export interface ModelSourceOptions {
  /** `models.yaml` */
  file: string
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

/** A file that breaks keeps its last good version, and prices with it. */
export function createModelSource({ file, log, follow }: ModelSourceOptions): ModelSource {
  const { known, errors, reload, close } = followFile({
    path: file,
    name: basename(file),
    schema: ModelsFile,
    none: { models: [], roles: {} },
    loaded: ({ models }) => log.info({ models: models.map(({ id }) => id) }, 'models loaded'),
    log,
    follow,
  })
  return { bound: known, errors, reload, close }
}
