import process from 'node:process'

/**
 * For fault tests only: dies without a word at the named point, as a power cut would. `point@text` dies there only when what is worked on
 * contains the text.
 */
export function killAt(point: string | undefined): (reached: string, content?: string) => void {
  const [named, text = ''] = point?.split('@') ?? []
  return (reached, content = '') => {
    if (reached === named && content.includes(text)) process.kill(process.pid, 'SIGKILL')
  }
}
