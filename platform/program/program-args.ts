import { fileURLToPath } from 'node:url'

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))

/** What node is given to run a program of ours, such as `api/main.ts`: the one way to start a process. */
export function programArgs(program: string, ...args: string[]): string[] {
  return [RUN, program, ...args]
}
