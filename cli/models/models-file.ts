import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { DomainError } from '#core/errors.ts'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { ModelsFile } from '#core/models/models-schema.ts'
import { parseModels } from '#platform/models/models-text.ts'

/** The text of `models.yaml`; undefined where there is no such file, or nothing in it. */
export async function readModelsText(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  return text.trim() === '' ? undefined : text
}

/** Throws `validation_failed` with every fault and its place, in the words of the running service. */
export function mustBeSound(path: string, text: string): ModelsFile {
  const parsed = parseModels(basename(path), text)
  if (!isFaults(parsed)) return parsed
  throw new DomainError('validation_failed', parsed.map(faultText).join('\n'))
}

/** A rename replaces the file whole; its rights stay as they were. Undefined takes it away. */
export async function writeModelsText(path: string, text: string | undefined): Promise<void> {
  if (text === undefined) return await rm(path, { force: true })
  const mode = (await stat(path).catch(() => undefined))?.mode ?? 0o600
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, text, { mode: mode & 0o777, flag: 'wx' })
  await rename(unfinished, path)
}

function isFaults(parsed: ModelsFile | FileFault[]): parsed is FileFault[] {
  return Array.isArray(parsed)
}
