import process from 'node:process'

/** For fault tests only: dies without a word at the named point, as a power cut would. */
export function killAt(point: string | undefined): (reached: string) => void {
  return (reached) => {
    if (reached === point) process.kill(process.pid, 'SIGKILL')
  }
}
