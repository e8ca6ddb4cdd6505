import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { isDocumentPath } from '#core/knowledge/document-path.ts'

type Documents = NonNullable<Schema<'CorpusIndexing'>['documents']>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Files of this machine as documents, by their relative path, else by their name. */
export async function readDocuments(files: readonly string[]): Promise<Documents> {
  return await Promise.all(
    files.map(async (file) => {
      const relative = file.replace(/^(\.\/)+/, '')
      return { path: isDocumentPath(relative) ? relative : basename(file), text: await textOf(file) }
    }),
  )
}

async function textOf(file: string): Promise<string> {
  try {
    return utf8.decode(await readFile(file))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DomainError('validation_failed', `${file} cannot be read as text: ${reason}`)
  }
}
