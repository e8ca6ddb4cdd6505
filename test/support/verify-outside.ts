import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { programOf } from './programs/needs.ts'

const VERIFY = fileURLToPath(new URL('./verify-audit.py', import.meta.url))

/** What a verifier that shares no code with us says of an audit file: 0 when the chain holds. Needs python3. */
export async function verifyOutside(path: string): Promise<{ status: number; output: string }> {
  const { command, env } = programOf('python3')
  const { exitCode, stdout, stderr } = await execa(command, [VERIFY, path], { env, reject: false })
  return { status: exitCode ?? -1, output: `${stdout}${stderr}`.trim() }
}
