import { createInterface } from 'node:readline'

export interface SessionLines {
  /** executes a line; `quit` ends the session */
  take(line: string, signal: AbortSignal): Promise<'continue' | 'quit'>
  /** a remark for the person at the terminal */
  remark(text: string): void
}

const PROMPT = 'ask> '

/**
 * Reads lines one after the other until they end. At a terminal there is a prompt, the arrow keys bring earlier lines back, and
 * Ctrl-C ends the turn that is under way; a second one ends the session.
 */
export async function readSession(terminal: boolean, { take, remark }: SessionLines): Promise<void> {
  const lines = createInterface({
    input: process.stdin,
    terminal,
    prompt: PROMPT,
    ...(terminal && { output: process.stdout }),
  })
  let turn: AbortController | undefined
  let interrupts = 0
  lines.on('SIGINT', () => {
    interrupts += 1
    turn?.abort()
    if (interrupts > 1) return lines.close()
    if (turn !== undefined) return
    remark('Ctrl-C once more, or /quit, to leave')
    lines.prompt()
  })
  if (terminal) lines.prompt()
  for await (const line of lines) {
    interrupts = 0
    turn = new AbortController()
    const end = await take(line, turn.signal)
    turn = undefined
    if (end === 'quit') break
    if (terminal) lines.prompt()
  }
  lines.close()
}
