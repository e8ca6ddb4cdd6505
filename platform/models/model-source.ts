import { basename } from 'node:path'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import type { Model, ModelRoles } from '#core/models/model.ts'
import { ModelsFile } from '#core/models/models-schema.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { type FoundFile, readIfChanged } from '../still-file.ts'

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
  const name = basename(file)
  let stamp = ''
  let known: ReturnType<ModelSource['bound']> = { models: [], roles: {} }
  let faults: readonly FileFault[] = []

  function reload(as_it_is: boolean): 'moving' | 'still' {
    const found = readIfChanged(file, stamp, { clock: follow?.clock, as_it_is })
    if (found === 'moving') return found
    if (found !== undefined) adopt(found)
    return 'still'
  }

  function adopt(found: FoundFile): void {
    stamp = found.stamp
    const parsed =
      found.bytes === undefined ? { data: { models: [], roles: {} } } : parseDocument(ModelsFile, name, found.bytes)
    faults =
      found.problem === undefined ? (Array.isArray(parsed) ? parsed : []) : [{ file: name, message: found.problem }]
    if (faults.length > 0) {
      log.warn({ problems: faults.map(faultText) }, `a broken ${name} keeps its last good version`)
      return
    }
    if (!Array.isArray(parsed)) known = parsed.data
    log.info({ models: known.models.map(({ id }) => id) }, 'models loaded')
  }

  reload(true)
  const following = followDirectories([], () => reload(false), follow)
  return {
    bound: () => known,
    errors: () => faults,
    reload: () => void reload(true),
    close: following.close,
  }
}
