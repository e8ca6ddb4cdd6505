import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A path for a log in a directory of its own that goes away with the test. */
export const temporaryLog = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-audit-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'audit.jsonl')
}

/** A log of the sink that keeps the messages. */
export const keptLog = () => {
  const messages: string[] = []
  const keep = (_fields: object, message: string): void => void messages.push(message)
  return { messages, warn: keep, error: keep }
}
