import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AllowedProcess } from '#core/environment/process-schema.ts'

/** A worker that is root says whom its processes run as. */
const USER = process.getuid?.() === 0 ? { user: 'nobody' } : {}

export interface ProcessLab {
  folder: string
  /** Writes an executable script and returns its path. */
  script(name: string, body: string): Promise<string>
  /** An entry of an environment for a command. */
  allow(command: string, changes?: object): AllowedProcess
  remove(): Promise<void>
}

export async function processLab(): Promise<ProcessLab> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-programs-'))
  await chmod(folder, 0o755)
  return {
    folder,
    async script(name, body) {
      const path = join(folder, name)
      await writeFile(path, `#!/bin/sh\n${body}\n`)
      await chmod(path, 0o755)
      return path
    },
    allow: (command, changes = {}) => AllowedProcess.parse({ name: 'job', command, ...USER, ...changes }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Whether a process runs: one that has ended and that nobody has waited for does not. */
export async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}
