import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { Program } from './program.ts'

const LOCKED = fileURLToPath(new URL('./mcp/requirements.txt', import.meta.url))
const INSTALL_MS = 10 * 60_000

/** Other versions are another name in the cache. */
export const MCP_CLIENT = createHash('sha256').update(readFileSync(LOCKED)).digest('hex').slice(0, 12)

/** An environment of its own in `dir`, with the versions that are pinned beside this file; nothing is built or installed elsewhere. */
export async function buildMcpClient(dir: string): Promise<void> {
  await execa('python3', ['-m', 'venv', dir], { timeout: INSTALL_MS })
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--only-binary',
    ':all:',
    '-r',
    LOCKED,
  ]
  await execa(join(dir, 'bin', 'python'), args, { timeout: INSTALL_MS })
}

export function builtMcpClient(dir: string): Program {
  return { command: join(dir, 'bin', 'python'), env: {} }
}
