import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ExecaError, execa } from 'execa'

const INSTALL_MS = 10 * 60_000

/** Installs the packages that the lock file of a folder beside this one pins into `dir`. Refuses with npm's own summary: what it writes for people has the reason somewhere in the middle. */
export async function installLocked(folder: 'chromium' | 'mcp-peers', dir: string): Promise<void> {
  const locked = fileURLToPath(new URL(`./${folder}`, import.meta.url))
  for (const name of await readdir(locked)) await copyFile(join(locked, name), join(dir, name))
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--json']
  try {
    await execa('npm', args, { cwd: dir, timeout: INSTALL_MS })
  } catch (error) {
    const output = error instanceof ExecaError && typeof error.stdout === 'string' ? error.stdout : ''
    const [, summary] = /"summary": "(.+)"/.exec(output) ?? []
    throw summary === undefined ? error : new Error(`npm: ${summary}`)
  }
}
