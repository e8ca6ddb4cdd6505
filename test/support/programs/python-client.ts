import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { Program } from './program.ts'

const INSTALL_MS = 10 * 60_000

/** A Python with packages of PyPI, in the versions that `requirements.txt` of a folder beside this file pins. */
export interface PythonClient {
  /** other versions are another name in the cache */
  version: string
  /** an environment of its own in `dir`; nothing is built or installed elsewhere */
  build(dir: string): Promise<void>
  built(dir: string): Promise<Program>
}

export function pythonClient(folder: 'mcp' | 'openai' | 'openapi' | 'postgres'): PythonClient {
  const locked = fileURLToPath(new URL(`./${folder}/requirements.txt`, import.meta.url))
  const python = (dir: string) => join(dir, 'bin', 'python')
  return {
    version: createHash('sha256').update(readFileSync(locked)).digest('hex').slice(0, 12),
    async build(dir) {
      await execa('python3', ['-m', 'venv', dir], { timeout: INSTALL_MS })
      const quietly = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
      await execa(python(dir), ['-m', 'pip', 'install', ...quietly, '-r', locked], { timeout: INSTALL_MS })
    },
    built: async (dir) => ({ command: folder === 'postgres' ? await dumpProgram(dir) : python(dir), env: {} }),
  }
}

/** The package is nothing but the programs of PostgreSQL. */
async function dumpProgram(dir: string): Promise<string> {
  const [python = ''] = await readdir(join(dir, 'lib'))
  return join(dir, 'lib', python, 'site-packages', 'embedded_postgres', 'pginstall', 'bin', 'pg_dump')
}
